// What is shown, how the reader got there, and the header.

/** The shown save, its archive, the selected row, and which rows are unfolded. */
const shown = { number: -1, entry: null, archive: null, selected: 0, zoom: 0, unfolded: null, rows: null, problems: new Map(), comparison: [0, 0], colors: null, hasOverhead: false, isSettled: false };

/** Shows a save, with its difference from the one before or from another. */
function open(number, isStep = false, comparison = [before(number) < 0 ? number : before(number), number]) {
  const entry = entries[number];
  const path = shown.archive?.path(shown.selected) ?? [];
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
  if (hadFocus) element("saves").querySelector("[aria-current]").focus();
  showFindings();
  arrangeRows();
  search.start();
  reveal(Math.max(0, archive?.find(path) ?? 0), isStep);
}

/** Selects a node that has a row; a step can be taken back. */
function select(row, isStep = false) {
  shown.selected = row;
  element("sizes").hidden = !shown.archive?.count;
  if (!shown.archive?.count) {
    drawRows();
    element("details-title").textContent = shown.entry.tree === undefined ? "Not on this page" : "No nodes";
    element("contents").replaceChildren(make("p", {}, foreign(shown.entry.status)));
    return;
  }
  showRow(shown.places[row]);
  drawRows();
  showDetails(row);
  element("details").scrollTop = 0;
  zoom(shown.archive.hasChildren(row) ? row : Math.max(0, shown.archive.parents[row]));
  remember(isStep);
}

/** Unfolds the way to a node and selects it. */
function reveal(row, isStep = true) {
  let isNew = false;
  for (let parent = shown.archive?.parents[row] ?? -1; parent >= 0; parent = shown.archive.parents[parent]) {
    if (!shown.unfolded[parent]) isNew = true;
    shown.unfolded[parent] = 1;
  }
  if (isNew) arrangeRows();
  select(row, isStep);
}

// MARK: Addresses

let pending = 0;
/** The times of the last steps. */
let steps = [];

/** Puts the path of the selected node into the address of the page; a step makes an entry of the history. */
function remember(isStep) {
  clearTimeout(pending);
  const path = shown.archive.path(shown.selected).map(encodeURIComponent).join("/");
  const address = `#${path}${entries.length > 1 ? `?save=${shown.number}` : ""}`;
  if (address.length > 2000 || address === location.hash) return;
  // Browsers refuse many changes in a short time.
  steps = steps.filter((time) => time > performance.now() - 10_000);
  if (isStep && steps.length < 50) {
    steps.push(performance.now());
    history.pushState(null, "", address);
  } else {
    pending = setTimeout(() => history.replaceState(null, "", address), 300);
  }
}

/** Shows what the address of the page names. */
function followAddress() {
  const [path, save] = location.hash.slice(1).split("?save=");
  const number = entries[Number(save)] ? Number(save) : shown.number;
  if (number !== shown.number) open(number);
  let names = [];
  try {
    names = path === "" ? [] : path.split("/").map(decodeURIComponent);
  } catch {
    return;
  }
  const row = shown.archive?.find(names) ?? -1;
  if (row >= 0) reveal(row, false);
}
addEventListener("popstate", followAddress);

// MARK: Header

function showHeader() {
  const { entry, archive } = shown;
  document.title = `${report.title} – restoration report`;
  element("title").replaceChildren(foreign(report.title));
  element("status").replaceChildren(make("span", { class: entry.isSound ? "status" : "status alarm" }, entry.isSound ? "✓ " : "⚠ ", foreign(entry.status)));
  const parts = [
    entries.length > 1 && nameOfSave(shown.number), entry.app, entry.build && `build ${entry.build}`,
    entry.saved && `saved ${entry.saved}`, archive && counted(Math.max(0, archive.count - 1), "node"), counted(entry.byteCount, "byte"),
  ];
  element("status").append(...parts.filter(Boolean).map((part) => make("span", {}, foreign(part))));
  if (shown.problems.size > 0) element("status").append(link(`${counted(shown.problems.size, "node")} with a problem`, showProblem));
  const notes = [...report.notes];
  if (entry.omittedCount) notes.push(`${counted(entry.omittedCount, "state")} not on this page, which would be too long; \`restoration get\` prints them`);
  if (!report.isRevealed) notes.push("Sensitive values are not on this page.");
  element("notes").replaceChildren(...notes.map((note) => make("p", {}, foreign(note))));
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
  const item = (text, row) => make("li", {}, row >= 0 && archive && row < archive.count ? link(foreign(text, { class: "code" }), () => { reveal(row); tree.focus(); }) : foreign(text, { class: "code" }));
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
open(first);
shown.isSettled = true;
followAddress();
describeSaves();
