// The tree of nodes, the search in it, and the way from problem to problem.
//
// Rows become elements when they are seen, so that an archive of any size costs a screen of elements.

const tree = element("tree");
const space = make("div", { class: "space", role: "none" });
tree.append(space);
/** Browsers limit the height of an element; a longer list scrolls in proportion. */
const mostHeight = 8_000_000;
let rowHeight = 28;
let firstRow = 0;

/** On a phone the page itself scrolls, and no box within it. */
const isPageScrolled = () => getComputedStyle(tree).overflowY === "visible";
const sightHeight = () => (isPageScrolled() ? innerHeight : tree.clientHeight);
const scrolled = () => (isPageScrolled() ? Math.max(0, -tree.getBoundingClientRect().top) : tree.scrollTop);
const rowsSeen = () => Math.max(1, Math.floor(sightHeight() / rowHeight));
const isScaled = () => shown.rows.length * rowHeight > mostHeight;
const lastScroll = () => Math.max(1, space.offsetHeight - sightHeight());

function scrollTo(top) {
  if (isPageScrolled()) scroll({ top: scrollY + tree.getBoundingClientRect().top + top, behavior: "instant" });
  else tree.scrollTop = top;
}

/** Finds the nodes with a row: those below unfolded ones. */
function arrangeRows() {
  const { archive, unfolded } = shown;
  const rows = [];
  for (let row = 0; archive && row < archive.count; row = unfolded[row] ? row + 1 : archive.ends[row]) rows.push(row);
  shown.rows = rows;
  // The place of each node in the rows, for the keys.
  shown.places = new Int32Array(archive ? archive.count : 1).fill(-1);
  rows.forEach((row, place) => { shown.places[row] = place; });
  const probe = make("div", { role: "treeitem" });
  space.append(probe);
  rowHeight = probe.offsetHeight || 28;
  probe.remove();
  space.style.height = `${Math.min(rows.length * rowHeight, mostHeight)}px`;
  firstRow = Math.max(0, Math.min(firstRow, rows.length - rowsSeen()));
  drawRows();
}

/** Draws the rows in sight, and the selected one, which assistive technology must find. */
function drawRows() {
  const top = isScaled() ? scrolled() - firstRow * rowHeight : 0;
  const end = Math.min(shown.rows.length, firstRow + rowsSeen() + 2);
  const drawn = [];
  for (let place = firstRow; place < end; place += 1) drawn.push(rowElement(place, top + place * rowHeight));
  const selectedPlace = shown.places[shown.selected];
  if (selectedPlace >= 0 && (selectedPlace < firstRow || selectedPlace >= end)) {
    drawn.push(rowElement(selectedPlace, isScaled() ? scrolled() : selectedPlace * rowHeight, isScaled()));
  }
  space.replaceChildren(...drawn);
  tree.setAttribute("aria-activedescendant", `row-${shown.selected}`);
}

function rowElement(place, top, isHidden = false) {
  const { archive, unfolded } = shown;
  const row = shown.rows[place];
  const hasChildren = archive.hasChildren(row);
  const parent = archive.parents[row];
  const name = archive.name(row);
  const { state, attributes } = archive.contents(row);
  const summary = summaryOf(state);
  const marks = marksOf(row, attributes);
  const made = make("div", {
    role: "treeitem", id: `row-${row}`, "aria-level": archive.depths[row] + 1, "aria-selected": String(row === shown.selected),
    "aria-expanded": hasChildren ? String(unfolded[row] === 1) : null,
    "aria-setsize": parent < 0 ? 1 : archive.childCounts[parent], "aria-posinset": archive.places[row] + 1,
    class: search.isHit(row) ? "hit" : "", onclick: () => click(row),
  },
    make("span", { class: "fold", "aria-hidden": "true", onclick: (event) => foldBy(event, row) }, hasChildren ? (unfolded[row] ? "▾" : "▸") : ""),
    ...marks.filter(([, isAlarm]) => isAlarm).map(([text]) => make("span", { class: "mark alarm" }, `⚠ ${text}`, " ")),
    marked(name, { class: "name" }), ...(summary !== "" && summary !== name ? [" ", marked(summary, { class: "summary" })] : []),
    " ", ...marks.filter(([, isAlarm]) => !isAlarm).map(([text]) => make("span", { class: "mark" }, text, " ")), marked(archive.type(row), { class: "dim" }));
  made.style.top = `${top}px`;
  made.style.paddingInlineStart = `${Math.min(archive.depths[row], 40) * 0.9}rem`;
  if (isHidden) made.style.opacity = "0";
  return made;
}

/** The marks of nodes that have an attribute of the format (Spec 3.5). */
const attributeMarks = { "restoration.keptKeys": "kept keys", "restoration.placeholder": "placeholder" };

/** Returns what sets a node apart, and whether it is a problem. */
function marksOf(row, attributes) {
  const { archive, problems } = shown;
  const marks = (problems.get(row) ?? []).map(({ word }) => [word, true]);
  for (const [key] of attributes) if (attributeMarks[key]) marks.push([attributeMarks[key], false]);
  // What is carried over is said once for a node and all below it.
  const origin = archive.origin(row);
  if (origin && archive.origins[row] !== archive.origins[archive.parents[row]]) marks.push([escaped(origin[0]), false]);
  if (isOmitted(archive.marks[row])) marks.push([markWords[archive.marks[row]], false]);
  for (const { path, builds } of quarantined(shown.number)) {
    if (!builds.includes(shown.entry.build ?? "") && archive.find(path) === row) marks.push([`left out since build ${escaped(builds.join(", "))}`, false]);
  }
  return [...new Map(marks.map((mark) => [mark[0], mark])).values()];
}

function follow() {
  const rest = Math.max(0, shown.rows.length - rowsSeen());
  firstRow = isScaled() ? Math.round((scrolled() / lastScroll()) * rest) : Math.floor(scrolled() / rowHeight);
  firstRow = Math.max(0, Math.min(firstRow, rest));
  drawRows();
}
tree.addEventListener("scroll", follow);
addEventListener("scroll", () => { if (shown.rows && isPageScrolled()) follow(); });

/** Scrolls to a row that is out of sight; on a phone, where that moves the page, only if asked to. */
function showRow(place, scrolls) {
  const seen = rowsSeen();
  if (isPageScrolled() && !isScaled()) {
    const top = tree.getBoundingClientRect().top + place * rowHeight;
    if (scrolls && tree.checkVisibility() && (top < 2 * rowHeight || top > innerHeight - rowHeight)) scrollBy({ top: top - innerHeight / 2, behavior: "instant" });
    return;
  }
  if (place >= firstRow && place < firstRow + seen) return;
  const first = Math.max(0, Math.min(place < firstRow ? place : place - seen + 1, shown.rows.length - seen));
  firstRow = first;
  scrollTo(isScaled() ? (first / Math.max(1, shown.rows.length - seen)) * lastScroll() : first * rowHeight);
}

function setFolded(row, isFolded) {
  if (!shown.archive.hasChildren(row) || shown.unfolded[row] === (isFolded ? 0 : 1)) return;
  shown.unfolded[row] = isFolded ? 0 : 1;
  arrangeRows();
  if (shown.places[shown.selected] < 0) select(row);
}

function click(row) {
  tree.focus({ preventScroll: true });
  leadTo(shown.archive.path(row));
}

function foldBy(event, row) {
  event.stopPropagation();
  setFolded(row, shown.unfolded[row] === 1);
}

function foldAll(isFolded) {
  if (!shown.archive) return;
  shown.unfolded.fill(isFolded ? 0 : 1);
  shown.unfolded[0] = 1;
  arrangeRows();
  while (shown.places[shown.selected] < 0) shown.selected = shown.archive.parents[shown.selected];
  select(shown.selected);
}

element("unfold").addEventListener("click", () => foldAll(false));
element("fold").addEventListener("click", () => foldAll(true));

// MARK: Keys

const typed = { text: "", timer: 0 };

/** Selects the next row whose name begins with the letters typed so far. */
function typeAhead(letter) {
  clearTimeout(typed.timer);
  typed.timer = setTimeout(() => { typed.text = ""; }, 700);
  typed.text += letter.toLowerCase();
  const { rows, places, selected, archive } = shown;
  const start = places[selected] + (typed.text.length === 1 ? 1 : 0);
  for (let step = 0; step < rows.length; step += 1) {
    const row = rows[(start + step) % rows.length];
    if (archive.name(row).toLowerCase().startsWith(typed.text)) return select(row);
  }
}

tree.addEventListener("keydown", (event) => {
  if (!shown.archive || shown.rows.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = shown.places[shown.selected];
  const go = (to) => select(shown.rows[Math.max(0, Math.min(to, shown.rows.length - 1))]);
  const isUnfolded = shown.unfolded[shown.selected] === 1 && shown.archive.hasChildren(shown.selected);
  const actions = {
    ArrowDown: () => go(place + 1),
    ArrowUp: () => go(place - 1),
    PageDown: () => go(place + rowsSeen()),
    PageUp: () => go(place - rowsSeen()),
    Home: () => go(0),
    End: () => go(shown.rows.length - 1),
    ArrowRight: () => (isUnfolded ? go(place + 1) : setFolded(shown.selected, false)),
    ArrowLeft: () => (isUnfolded ? setFolded(shown.selected, true) : shown.selected > 0 && select(shown.archive.parents[shown.selected])),
    " ": () => (typed.text === "" ? setFolded(shown.selected, isUnfolded) : typeAhead(" ")),
    Enter: () => { showView("details"); element("details").focus(); },
    "*": () => foldAll(false),
  };
  if (actions[event.key]) actions[event.key]();
  else if ([...event.key].length === 1 && event.key !== "/" && event.key !== "!") typeAhead(event.key);
  else return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    showView("nodes");
    element("query").focus();
    element("query").select();
  } else if (event.key === "!") showProblem();
  else return;
  event.preventDefault();
});

// MARK: Search

/** The search goes over names, keys and values in pieces, so that the page stays responsive. */
const search = {
  query: "", hits: [], isMarked: null, run: 0, isDone: true, lines: null, others: [],

  isHit(row) { return this.isMarked !== null && this.isMarked[row] === 1; },
  has(text) { return text.toLowerCase().includes(this.query); },

  start() {
    this.run += 1;
    Object.assign(this, { query: element("query").value.toLowerCase(), hits: [], isMarked: null, isDone: true, lines: new Int8Array(lines.length), others: [] });
    element("hits").textContent = "";
    element("elsewhere").replaceChildren();
    if (!shown.archive || this.query === "") return this.draw();
    this.isMarked = new Uint8Array(shown.archive.count);
    this.isDone = false;
    this.go(0, this.run);
  },

  draw() {
    drawRows();
    if (shown.archive) showDetails(shown.selected);
  },

  go(start, run) {
    if (run !== this.run) return;
    const until = performance.now() + 30;
    let row = start;
    for (; row < shown.archive.count; row += 1) {
      if (row % 64 === 0 && performance.now() > until) break;
      if (!this.matches(shown.archive, row)) continue;
      this.isMarked[row] = 1;
      this.hits.push(row);
    }
    const isDone = row >= shown.archive.count;
    this.isDone = isDone && entries.length === 1;
    if (!isDone) setTimeout(() => this.go(row, run), 0);
    // Not for each letter that is typed.
    else if (!this.isDone) setTimeout(() => this.goOn(entries.length - 1, run), 150);
    this.tell();
    if (start === 0 || isDone) this.draw();
  },

  /** Searches the other saves, from the last on the page to the first. */
  goOn(number, run) {
    if (run !== this.run) return;
    const archive = number === shown.number || number < 0 ? null : archives.get(number);
    for (let row = 0; archive && row < archive.count; row += 1) {
      if (!this.matches(archive, row)) continue;
      this.others.push({ number, path: archive.path(row) });
      break;
    }
    this.isDone = number <= 0;
    if (!this.isDone) return void setTimeout(() => this.goOn(number - 1, run), 0);
    this.tell();
    this.tellOthers();
  },

  tellOthers() {
    const { others } = this;
    const parts = others.length === 0 ? [] : [`in ${counted(others.length, "other save")}: `];
    // The newest of each archive come first.
    const isLater = ({ number }, place) => others.findIndex((other) => entries[other.number].group === entries[number].group) < place;
    const sorted = [...others.filter((other, place) => !isLater(other, place)), ...others.filter(isLater)];
    for (const { number, path } of sorted.slice(0, 4)) parts.push(link(foreign(nameOfSave(number)), () => { open(number); leadTo(path); }), " ");
    if (sorted.length > 4) parts.push("… ");
    if (entries.some((entry) => entry.omittedCount || entry.tree === undefined)) parts.push("States that are not on this page are not searched.");
    element("elsewhere").replaceChildren(...parts);
  },

  matches(archive, row) {
    if ((row > 0 && archive.isNamed(row) && this.has(archive.names[row])) || this.has(archive.type(row))) return true;
    // Saves share states: each is searched once.
    const line = archive.states[row];
    if (this.lines[line] === 0) {
      const { state, attributes } = contentsOf(line);
      this.lines[line] = [...state, ...attributes].some(([key, value]) => this.has(key) || this.valueMatches(value)) ? 1 : -1;
    }
    return this.lines[line] === 1;
  },

  valueMatches(value) {
    const { kind, text = "", items, path } = opened(value);
    if (kind === "array") return items.some((item) => this.valueMatches(item));
    if (kind === "dictionary") return items.some(([key, item]) => this.has(key) || this.valueMatches(item));
    return kind !== "masked" && this.has(path ? path.join("/") : text);
  },

  tell(place = -1) {
    const count = this.hits.length;
    const text = count === 0 ? (entries.length === 1 || (this.isDone && this.others.length === 0) ? "nothing found" : "nothing in this save") : place < 0 ? counted(count, "hit") : `${(place + 1).toLocaleString("en")} of ${counted(count, "hit")}`;
    element("hits").textContent = this.isDone ? text : `${text}, searching …`;
  },

  /** Selects the next or previous hit after the selected node. */
  step(by) {
    const count = this.hits.length;
    if (count === 0) return;
    let place = this.hits.findIndex((hit) => (by > 0 ? hit > shown.selected : hit >= shown.selected));
    if (place < 0) place = by > 0 ? 0 : count;
    if (by < 0) place = (place - 1 + count) % count;
    reveal(this.hits[place]);
    this.tell(place);
  },
};

/** Returns foreign text in which the hits of the search are marked. */
function marked(text, attributes = {}, keepsLines = false) {
  const made = foreign("", attributes);
  const whole = escaped(text, keepsLines);
  const lower = whole.toLowerCase();
  let start = 0;
  // Case mapping can change lengths; such a text is shown without marks.
  for (let place = search.query === "" || lower.length !== whole.length ? -1 : lower.indexOf(search.query); place >= 0; place = lower.indexOf(search.query, start)) {
    made.append(whole.slice(start, place), make("mark", {}, whole.slice(place, place + search.query.length)));
    start = place + search.query.length;
  }
  made.append(whole.slice(start));
  return made;
}

element("query").addEventListener("input", () => search.start());
element("search").addEventListener("submit", (event) => {
  event.preventDefault();
  search.step(1);
});
element("previous").addEventListener("click", () => search.step(-1));
element("query").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.shiftKey) {
    event.preventDefault();
    search.step(-1);
  } else if (event.key === "Escape" || event.key === "ArrowDown") {
    if (event.key === "Escape" && event.target.value !== "") {
      event.preventDefault();
      event.target.value = "";
      search.start();
    }
    tree.focus();
  }
});

// MARK: Problems

/** Finds the problems of the archive: for each row the words of its marks, and a sentence for each. */
function findProblems() {
  const { archive, entry } = shown;
  const problems = new Map();
  const add = (row, word, text) => problems.set(row, [...(problems.get(row) ?? []), { word, text }]);
  for (let row = 0; row < archive.count; row += 1) {
    const mark = archive.marks[row];
    if (mark !== Mark.none && mark <= Mark.stateLost) add(row, `damaged: ${markWords[mark]}`, "");
    if (lines[archive.states[row]].includes('{"reference":')) {
      const { state, attributes } = archive.contents(row);
      for (const [key, path] of [...state, ...attributes].flatMap(([key, value]) => references(value).map((path) => [key, path]))) {
        if (archive.hasAllNames && archive.find(path) < 0) add(row, "broken reference", `${key}: no node ${path.join("/")}`);
      }
    }
  }
  for (const { node, text } of entry.findings ?? []) if (node !== undefined && node < archive.count) add(node, "finding", text);
  for (const { isLoss, path, text } of entry.notes ?? []) if (isLoss && path && archive.find(path) >= 0) add(archive.find(path), "lost in the import", text);
  for (const { path, builds } of quarantined(shown.number)) if (builds.includes(entry.build ?? "") && archive.find(path) >= 0) add(archive.find(path), "quarantined", "");
  return problems;
}

function references(value) {
  const { kind, items, path } = opened(value);
  if (kind === "reference") return [path];
  return kind === "array" ? items.flatMap(references) : kind === "dictionary" ? items.flatMap(([, item]) => references(item)) : [];
}

/** Selects the next node with a problem. */
function showProblem() {
  const rows = [...shown.problems.keys()].sort((left, right) => left - right);
  if (rows.length === 0) return;
  reveal(rows.find((row) => row > shown.selected) ?? rows[0]);
  tree.focus({ preventScroll: true });
}

element("problem").addEventListener("click", showProblem);
