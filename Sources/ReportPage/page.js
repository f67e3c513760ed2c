// What is shown, how the reader got there, and the header.

/** The shown save, its archive, the selected row, the path that the reader wants, which may not be in this save, and which rows are unfolded. */
const shown = { number: -1, entry: null, archive: null, selected: 0, wanted: [], isMissing: false, zoom: 0, unfolded: null, rows: null, problems: new Map(), comparison: [0, 0], colors: null, hasOverhead: false };

/** Shows a save, with its difference from the one before or from another. */
function open(number, isStep = false, comparison = [before(number) < 0 ? number : before(number), number]) {
  const entry = entries[number];
  const archive = archives.get(number);
  const count = archive?.count ?? 0;
  Object.assign(shown, { number, entry, archive, selected: 0, zoom: 0, unfolded: new Uint8Array(count), comparison, colors: null, problems: new Map() });
  if (archive) shown.problems = findProblems();
  if (count > 0) shown.unfolded[0] = 1;
  // A small archive is shown whole.
  if (count < 1000) shown.unfolded.fill(1);
  showHeader();
  const hadFocus = element("saves").contains(document.activeElement);
  showSaves();
  if (hadFocus) element("saves").querySelector("[aria-current]").focus({ preventScroll: true });
  showFindings();
  arrangeRows();
  go(shown.wanted, isStep, false);
  search.start();
}

/** Selects the node at a path, or the nearest one above it, whose details say that the node is missing. */
function go(path, isStep, scrolls) {
  let [row, length] = [-1, path.length];
  while (shown.archive?.count && (row = shown.archive.find(path.slice(0, length))) < 0) length -= 1;
  reveal(Math.max(0, row), isStep, scrolls, path);
}

/** Follows a link to a node; on a phone to its details. */
function leadTo(path) {
  if (isPageScrolled()) showView("details");
  go(path, true);
  if (isPageScrolled()) element("details").scrollIntoView();
}

/** Selects a node that has a row, for one that is wanted; a step can be taken back. */
function select(row, isStep = false, scrolls = true, wanted = shown.archive?.path(row) ?? shown.wanted) {
  Object.assign(shown, { selected: row, wanted, isMissing: shown.archive?.count > 0 && wanted.length !== shown.archive.depths[row] });
  markTicks();
  element("sizes").hidden = !shown.archive?.count;
  if (!shown.archive?.count) {
    drawRows();
    element("details-title").textContent = shown.entry.tree === undefined ? "Not on this page" : "No nodes";
    element("contents").replaceChildren(make("p", {}, foreign(shown.entry.status)));
    return;
  }
  showRow(shown.places[row], scrolls);
  drawRows();
  showDetails(row);
  element("details").scrollTop = 0;
  zoom(shown.archive.hasChildren(row) ? row : Math.max(0, shown.archive.parents[row]));
  remember(isStep);
}

/** Unfolds the way to a node and selects it. */
function reveal(row, isStep = true, scrolls = true, wanted = undefined) {
  let isNew = false;
  for (let parent = shown.archive?.parents[row] ?? -1; parent >= 0; parent = shown.archive.parents[parent]) {
    if (!shown.unfolded[parent]) isNew = true;
    shown.unfolded[parent] = 1;
  }
  if (isNew) arrangeRows();
  select(row, isStep, scrolls, wanted);
}

// MARK: Addresses

let pending = 0;
/** The times of the last steps. */
let steps = [];

/** Puts the path of the wanted node into the address of the page; a step makes an entry of the history. */
function remember(isStep) {
  clearTimeout(pending);
  const state = { view: document.body.dataset.view };
  const path = shown.wanted.map(encodeURIComponent).join("/");
  const address = `#${path}${entries.length > 1 ? `?save=${shown.number}` : ""}`;
  if (address.length > 2000 || (address === location.hash && state.view === (history.state?.view ?? "nodes"))) return;
  // Browsers refuse many changes in a short time.
  steps = steps.filter((time) => time > performance.now() - 10_000);
  if (isStep && steps.length < 50) {
    steps.push(performance.now());
    history.pushState(state, "", address);
  } else {
    pending = setTimeout(() => history.replaceState(state, "", address), 300);
  }
}

/** Shows what the address of the page names. */
function followAddress() {
  const [path, save] = location.hash.slice(1).split("?save=");
  const number = entries[Number(save)] ? Number(save) : shown.number;
  let names = [];
  try {
    names = path === "" ? [] : path.split("/").map(decodeURIComponent);
  } catch {
    // An address of another page.
  }
  shown.wanted = names;
  if (number !== shown.number) open(number);
  go(names, false, names.length > 0);
}
addEventListener("popstate", (event) => {
  showView(event.state?.view ?? "nodes");
  followAddress();
});

// MARK: Header

function showHeader() {
  const { entry, archive } = shown;
  const { app, saved = "" } = entries[first];
  document.title = [app ?? report.title, saved.match(/\d{4}-\d\d-\d\d/)?.[0], "restoration report"].filter(Boolean).join(" – ");
  element("title").replaceChildren(foreign(entries[first].group && app && app !== report.title ? `${app} · ${report.title}` : report.title));
  const words = [...shown.problems.values()].flat().map(({ word }) => word);
  const [left, broken] = ["quarantined", "broken reference"].map((wanted) => words.filter((word) => word === wanted).length);
  const alarms = [!entry.isSound && entry.status, left > 0 && `${counted(left, "node")} left out by launches (quarantined)`, broken > 0 && counted(broken, "broken reference")].filter(Boolean);
  element("status").replaceChildren(
    ...(entry.isSound ? [make("span", { class: alarms.length === 0 ? "status" : "" }, alarms.length === 0 ? "✓ " : "", foreign(entry.status))] : []),
    ...alarms.map((text) => make("span", { class: "status alarm" }, "⚠ ", foreign(text))));
  const parts = [
    entries.length > 1 && nameOfSave(shown.number), entries.length === 1 && entry.app, entry.build && `build ${entry.build}`,
    entry.saved && `saved ${entry.saved}`, archive && counted(Math.max(0, archive.count - 1), "node"), counted(entry.byteCount, "byte"),
    entry.writtenByteCount && `wrote ${bytesText(entry.writtenByteCount)}`, entry.condition, entry.omittedCount && `${counted(entry.omittedCount, "state")} not on this page, which would be too long; \`restoration get\` prints them`,
  ];
  element("status").append(...parts.filter(Boolean).map((part) => make("span", {}, foreign(part))));
  element("notes").hidden = report.notes.length === 0;
  element("notes").replaceChildren(element("notes").firstElementChild, ...report.notes.map((note) => make("p", {}, foreign(note))));
  element("limits").textContent = report.isRevealed ? "" : "Sensitive values are not on this page.";
  element("facts").hidden = !entry.facts?.length;
  element("facts").querySelector("dl").replaceChildren(
    ...(entry.facts ?? []).flatMap(([key, value]) => [make("dt", {}, foreign(key)), make("dd", {}, foreign(value))]));
}

function showFindings() {
  const { findings = [], findingCount = 0, losses = [], lossCount = 0, notes = [] } = shown.entry;
  const { archive, problems } = shown;
  element("problem").hidden = problems.size === 0;
  element("problem").textContent = `Next problem (${problems.size.toLocaleString("en")})`;
  element("findings").hidden = findingCount + notes.length === 0;
  const isOpen = findingCount > 0 || notes.some(({ isLoss }) => isLoss);
  element("findings").open = isOpen;
  element("findings-summary").replaceChildren(make("span", { class: isOpen ? "alarm" : "" }, findingCount > 0 ? counted(findingCount, "finding") : counted(notes.length, "note")));
  const item = (text, row) => make("li", {}, row >= 0 && archive && row < archive.count ? link(foreign(text, { class: "code" }), () => { leadTo(archive.path(row)); tree.focus({ preventScroll: true }); }) : foreign(text, { class: "code" }));
  const items = findings.map(({ text, node = -1 }) => item(text, node));
  if (findingCount > findings.length) items.push(make("li", {}, `… and ${counted(findingCount - findings.length, "more finding")}`));
  items.push(...losses.map(({ text, path }) => item(text, path && archive ? archive.find(path) : -1)));
  if (lossCount > losses.length) items.push(make("li", {}, `… and ${counted(lossCount - losses.length, "more damaged part")}`));
  items.push(...notes.map(({ text, path }) => item(text, path && archive ? archive.find(path) : -1)));
  element("finding-list").replaceWith(Object.assign(listOf(items, (made) => made), { id: "finding-list" }));
}

// MARK: Layout

/** On a phone, shows one of nodes, details and sizes. */
function showView(name) {
  if (document.body.dataset.view === name && shown.rows) return;
  document.body.dataset.view = name;
  for (const made of element("views").children) made.setAttribute("aria-pressed", String(made.value === name));
  if (shown.rows) arrangeRows();
  drawMap();
}

for (const made of element("views").children) made.addEventListener("click", () => showView(made.value));

const splitter = element("splitter");

function split(percent) {
  const whole = Math.round(Math.max(15, Math.min(percent, 85)));
  element("main").style.setProperty("--split", `${whole}%`);
  splitter.setAttribute("aria-valuenow", String(whole));
  if (!shown.rows) return;
  arrangeRows();
  drawMap();
}

splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
splitter.addEventListener("pointermove", (event) => {
  if (splitter.hasPointerCapture(event.pointerId)) split((100 * event.clientX) / innerWidth);
});
splitter.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
  if (!by) return;
  event.preventDefault();
  split(Number(splitter.getAttribute("aria-valuenow")) + by);
});

addEventListener("resize", () => {
  arrangeRows();
  drawMap();
});

/** On paper all rows are there, up to a length that is of use. */
addEventListener("beforeprint", () => {
  space.replaceChildren(...shown.rows.slice(0, 2000).map((_, place) => rowElement(place, place * rowHeight)));
  if (shown.rows.length > 2000) space.append(make("p", {}, `… and ${counted(shown.rows.length - 2000, "more row")}`));
});
addEventListener("afterprint", drawRows);

const first = report.comparison?.[1] ?? entries.findLastIndex((entry) => entry.group === entries[0].group);
showView("nodes");
showRemedies();
open(first);
if (location.hash !== "") followAddress();
describeSaves();
