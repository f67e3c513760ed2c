
// The views of the page: tree, details, sizes, findings, generations.
//
// Content of an archive reaches the page as text nodes alone: no markup is ever made of a string. Rows of the tree are
// made when they are seen, so that an archive of any size costs a screen of elements.

const element = (name) => document.getElementById(name);

/** Creates an element with attributes and children; strings become text nodes. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Characters that a reader cannot see, or that change the direction of the text around them. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\u{FFFD}]/u;
/** A run of such characters, or an emoji whose joiners belong to it. */
const pieces = /(\p{Extended_Pictographic}\uFE0F?(?:\u200D\p{Extended_Pictographic}\uFE0F?)*)|([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\u{FFFD}])/gu;

/** Returns text with its invisible characters written as `\u{…}`; line breaks may stay. */
function escaped(text, keepsLines = false) {
  if (!invisible.test(text)) return text;
  return text.replace(pieces, (whole, emoji) =>
    emoji || (keepsLines && whole === "\n") ? whole : `\\u{${whole.codePointAt(0).toString(16)}}`);
}

/** Returns an element with foreign text, whose direction does not affect the text around it. */
const foreign = (text, attributes = {}, keepsLines = false) => make("bdi", { dir: "auto", ...attributes }, escaped(text, keepsLines));

// MARK: Archives

const report = JSON.parse(element("report").textContent);
/** What is shown: the archive, the selected node, and which nodes are unfolded. */
const shown = { number: -1, entry: null, archive: null, selected: 0, zoom: 0, unfolded: null, rows: null, marks: new Map() };

const entries = Array.from({ length: report.archiveCount }, (_, number) => JSON.parse(element(`archive-${number}`).textContent));

/** Decodes the blocks of an archive one by one. */
function bytesOf(number, length) {
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const block of document.querySelectorAll(`script.archive-${number}`)) {
    const piece = decoded(block.textContent);
    bytes.set(piece.subarray(0, length - position), position);
    position += piece.length;
  }
  return bytes;
}

function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = characters.charCodeAt(place);
  return bytes;
}

function open(number) {
  const entry = entries[number];
  shown.number = number;
  shown.entry = entry;
  const parts = entry.parts;
  const length = parts ? parts.metadata + parts.nodes + parts.strings + parts.states : 0;
  shown.archive = parts ? new Archive(bytesOf(number, length), parts, report.isRevealed) : null;
  shown.marks = new Map();
  for (const finding of entry.findings ?? []) {
    if (finding.node === undefined) continue;
    shown.marks.set(finding.node, [...(shown.marks.get(finding.node) ?? []), finding.text]);
  }
  const count = shown.archive ? shown.archive.count : 0;
  shown.unfolded = new Uint8Array(count + 1);
  if (count > 0) shown.unfolded[0] = 1;
  // A small archive is shown whole.
  if (count < 1000) shown.unfolded.fill(1);
  shown.selected = 0;
  shown.zoom = 0;
  search.stop();
  showHeader();
  showGenerations();
  showFindings();
  arrangeRows();
  select(0);
}

// MARK: Header, generations, findings

function showHeader() {
  const { entry, archive } = shown;
  document.title = `${report.title} – restoration report`;
  element("title").replaceChildren(foreign(report.title));
  const parts = [counted(entry.byteCount, "byte")];
  if (archive) parts.unshift(counted(entry.declaredNodeCount, "node"));
  if (entry.error) parts.push(entry.error);
  else parts.push(entry.findingCount === 0 ? "intact" : counted(entry.findingCount, "finding"));
  if (!report.isRevealed) parts.push("sensitive values are not in this page");
  element("summary").replaceChildren(entry.group ? foreign(`${entry.group}, ${entry.name}: `) : "", escaped(parts.join(" · ")));
  element("notes").replaceChildren(...report.notes.map((note) => make("p", {}, foreign(note))));
  const facts = archive ? archive.header.map(({ key, value }) => [key, value.text ?? value.kind]) : [];
  if (archive) facts.push(["format", entry.formatVersion], ["content digest", entry.contentDigest]);
  element("facts").hidden = facts.length === 0;
  element("facts").querySelector("dl").replaceChildren(
    ...facts.flatMap(([key, value]) => [make("dt", {}, foreign(key)), make("dd", {}, foreign(String(value)))]));
}

function showGenerations() {
  element("timeline").hidden = !entries.some((entry) => entry.group);
  const items = [];
  entries.forEach((entry, number) => {
    if (number === 0 || entries[number - 1].group !== entry.group) items.push(make("li", { class: "group" }, foreign(entry.group)));
    const facts = [`${counted(entry.byteCount, "byte")}, ${entry.error ? "not readable" : counted(entry.declaredNodeCount, "node")}`];
    if (entry.condition) facts.push(entry.condition);
    if (entry.difference) facts.push(entry.difference.summary);
    const isShown = number === shown.number;
    items.push(make("li", {}, make("button", { type: "button", "aria-current": isShown && "true", onclick: () => open(number) },
      foreign(entry.name), ...facts.map((fact) => make("small", {}, foreign(fact))))));
  });
  const hadFocus = element("generations").contains(document.activeElement);
  element("generations").replaceChildren(...items);
  if (hadFocus) element("generations").querySelector("[aria-current]").focus();
  showDifference();
}

function showDifference() {
  const { difference, isOldest } = shown.entry;
  element("difference-title").textContent = difference ? `Difference from ${escaped(difference.from)}: ${difference.summary}` : "Difference";
  if (!difference) {
    const reason = isOldest ? "This is the oldest file." : "The file or the one before it is not readable.";
    element("difference").replaceChildren(make("li", {}, reason));
    return;
  }
  const items = difference.changes.map((change) => {
    const index = change.path && shown.archive ? shown.archive.find(change.path) : null;
    const lines = make("pre", {}, foreign(change.lines.join("\n"), {}, true));
    return make("li", {}, lines, index === null ? "" : make("button", { type: "button", class: "link", onclick: () => reveal(index) }, "show"));
  });
  const rest = difference.changeCount - difference.changes.length;
  if (rest > 0) items.push(make("li", {}, `… and ${counted(rest, "more change")}`));
  element("difference").replaceChildren(...items);
}

function showFindings() {
  const { findings = [], findingCount = 0, losses = [], lossCount = 0 } = shown.entry;
  element("findings").hidden = findingCount === 0;
  element("findings-summary").replaceChildren(make("span", { class: "alarm" }, counted(findingCount, "finding")));
  const items = findings.map((finding) => {
    const isNode = finding.node !== undefined && shown.archive && finding.node < shown.archive.count;
    return make("li", {}, foreign(finding.text, { class: "code" }), " ",
      isNode ? make("button", { type: "button", class: "link", onclick: () => reveal(finding.node) }, "show") : "");
  });
  if (findingCount > findings.length) items.push(make("li", {}, `… and ${counted(findingCount - findings.length, "more finding")}`));
  items.push(...losses.map((loss) => make("li", {}, foreign(loss))));
  if (lossCount > losses.length) items.push(make("li", {}, `… and ${counted(lossCount - losses.length, "more damaged part")}`));
  element("finding-list").replaceChildren(...items);
}

// MARK: Names

/** Returns the name of a node for people. */
function nameOf(index) {
  if (index === 0) return "(application)";
  if (index === shown.archive.count) return "(nodes whose place is lost)";
  return shown.archive.identifier(index) ?? `(lost: node record ${index})`;
}

function typeText(index) {
  const type = shown.archive.type(index);
  return type ? (type.schema === 0 ? type.tag : `${type.tag} ${type.schema}`) : "";
}

/** Returns why a node needs attention, or an empty string. */
function alarmOf(index) {
  if (index === shown.archive.count) return "";
  const flags = shown.archive.flags(index);
  if (flags & Flag.recordLost) return "record lost";
  if (flags & Flag.stateLost) return "state lost";
  if (flags & Flag.nameLost) return "name lost";
  return shown.marks.has(index) ? "finding" : "";
}

// MARK: Tree

const tree = element("tree");
const space = make("div", { class: "space", role: "none" });
tree.append(space);
/** Browsers limit the height of an element; a longer list scrolls in proportion. */
const mostHeight = 8_000_000;
let rowHeight = 24;
let firstRow = 0;

/** Finds the nodes with a row: those below unfolded ones, in saved order. */
function arrangeRows() {
  const { archive, unfolded } = shown;
  const rows = [];
  const waiting = archive && archive.count > 0 ? [0] : [];
  while (waiting.length > 0) {
    const index = waiting.pop();
    rows.push(index);
    if (!unfolded[index] || !archive.hasChildren(index)) continue;
    const children = archive.children(index);
    for (let place = children.length - 1; place >= 0; place -= 1) waiting.push(children[place]);
  }
  shown.rows = rows;
  // The place of each node in the rows, for the keys.
  shown.places = new Int32Array(archive ? archive.count + 1 : 1).fill(-1);
  rows.forEach((index, place) => { shown.places[index] = place; });
  const probe = make("div", { role: "treeitem" });
  space.append(probe);
  rowHeight = probe.offsetHeight || 24;
  probe.remove();
  space.style.height = `${Math.min(rows.length * rowHeight, mostHeight)}px`;
  firstRow = Math.max(0, Math.min(firstRow, rows.length - rowsSeen()));
  drawRows();
}

const rowsSeen = () => Math.max(1, Math.floor(tree.clientHeight / rowHeight));
const isScaled = () => shown.rows.length * rowHeight > mostHeight;
const lastScroll = () => Math.max(1, tree.scrollHeight - tree.clientHeight);

/** Draws the rows in sight, and the selected one, which assistive technology must find. */
function drawRows() {
  const top = isScaled() ? tree.scrollTop - firstRow * rowHeight : 0;
  const end = Math.min(shown.rows.length, firstRow + rowsSeen() + 2);
  const drawn = [];
  for (let place = firstRow; place < end; place += 1) drawn.push(row(place, top + place * rowHeight));
  const selectedPlace = shown.places[shown.selected];
  if (selectedPlace >= 0 && (selectedPlace < firstRow || selectedPlace >= end)) {
    drawn.push(row(selectedPlace, isScaled() ? tree.scrollTop : selectedPlace * rowHeight, isScaled()));
  }
  space.replaceChildren(...drawn);
  tree.setAttribute("aria-activedescendant", `row-${shown.selected}`);
}

function row(place, top, isHidden = false) {
  const { archive, unfolded } = shown;
  const index = shown.rows[place];
  const hasChildren = archive.hasChildren(index);
  const alarm = alarmOf(index);
  // The place among its siblings is the saved order, if that is known.
  const isPlaced = index > 0 && index < archive.count && !archive.isLost(index) && archive.parents[index] < archive.count;
  const parent = archive.parents[index];
  const made = make("div", {
    role: "treeitem", id: `row-${index}`, "aria-level": archive.depths[index] + 1, "aria-selected": String(index === shown.selected),
    "aria-expanded": hasChildren ? String(unfolded[index] === 1) : null, "aria-setsize": isPlaced ? archive.ends[parent] - archive.starts[parent] : null,
    "aria-posinset": isPlaced ? archive.uint32(index, 4) + 1 : null, class: search.isHit(index) ? "hit" : "", onclick: () => click(index),
  },
    make("span", { class: "fold", "aria-hidden": "true", onclick: (event) => foldBy(event, index) }, hasChildren ? (unfolded[index] ? "▾" : "▸") : ""),
    foreign(nameOf(index)), " ", foreign(typeText(index), { class: "dim" }));
  if (alarm) made.append(" ", make("span", { class: "alarm" }, `⚠ ${alarm}`));
  made.style.top = `${top}px`;
  made.style.paddingInlineStart = `${Math.min(archive.depths[index], 40) * 1.1}rem`;
  if (isHidden) made.style.opacity = "0";
  return made;
}

tree.addEventListener("scroll", () => {
  const rest = shown.rows.length - rowsSeen();
  firstRow = isScaled() ? Math.round((tree.scrollTop / lastScroll()) * rest) : Math.floor(tree.scrollTop / rowHeight);
  firstRow = Math.max(0, Math.min(firstRow, rest));
  drawRows();
});
addEventListener("resize", () => {
  if (!shown.rows) return;
  arrangeRows();
  drawMap();
});

function showRow(place) {
  const seen = rowsSeen();
  if (place >= firstRow && place < firstRow + seen) return;
  const first = Math.max(0, Math.min(place < firstRow ? place : place - seen + 1, shown.rows.length - seen));
  firstRow = first;
  tree.scrollTop = isScaled() ? (first / Math.max(1, shown.rows.length - seen)) * lastScroll() : first * rowHeight;
}

/** Selects a node that has a row. */
function select(index) {
  shown.selected = index;
  if (!shown.archive || shown.archive.count === 0) {
    drawRows();
    element("details-title").textContent = shown.entry.error ? "Not readable" : "No nodes";
    element("contents").replaceChildren(make("p", {}, foreign(shown.entry.error ?? "")));
    element("map").replaceChildren();
    element("zoom").replaceChildren();
    return;
  }
  showRow(shown.places[index]);
  drawRows();
  showDetails(index);
  zoom(shown.archive.hasChildren(index) ? index : Math.max(0, shown.archive.parents[index]));
}

/** Unfolds the way to a node and selects it. */
function reveal(index) {
  let isNew = false;
  for (let parent = shown.archive.parents[index]; parent >= 0; parent = shown.archive.parents[parent]) {
    if (!shown.unfolded[parent]) isNew = true;
    shown.unfolded[parent] = 1;
  }
  if (isNew) arrangeRows();
  select(index);
}

function setFolded(index, isFolded) {
  if (!shown.archive.hasChildren(index) || shown.unfolded[index] === (isFolded ? 0 : 1)) return;
  shown.unfolded[index] = isFolded ? 0 : 1;
  arrangeRows();
  if (shown.places[shown.selected] < 0) select(index);
}

function click(index) {
  tree.focus({ preventScroll: true });
  select(index);
}

function foldBy(event, index) {
  event.stopPropagation();
  setFolded(index, shown.unfolded[index] === 1);
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
    " ": () => setFolded(shown.selected, isUnfolded),
    Enter: () => element("details").focus(),
    "/": () => element("query").focus(),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

// MARK: Details

function showDetails(index) {
  const { archive } = shown;
  element("details-title").replaceChildren(...pathElements(index, (parent) => reveal(parent)));
  const facts = [];
  if (typeText(index)) facts.push(["type", typeText(index)]);
  if (archive.hasChildren(index)) facts.push(["children", archive.children(index).length.toLocaleString("en")]);
  facts.push(["size", `${counted(archive.own[index], "byte")}, with all below ${counted(archive.total[index], "byte")}`]);
  if (index < archive.count && archive.origin(index)) facts.push(["origin", archive.origin(index)]);
  const parts = [make("dl", {}, ...facts.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, foreign(value))]))];
  for (const text of shown.marks.get(index) ?? []) parts.push(make("p", { class: "alarm" }, foreign(text)));
  if (index < archive.count) {
    if (alarmOf(index).endsWith("lost")) parts.push(make("p", { class: "alarm" }, `⚠ ${alarmOf(index)}`));
    try {
      const { provider, attributes, state } = archive.contents(index);
      if (provider) parts.push(make("h3", {}, "Provider"), make("p", {}, foreign(provider[0]), " ", foreign(provider[1])));
      if (attributes.length > 0) parts.push(make("h3", {}, "Attributes"), entryList(attributes));
      parts.push(make("h3", {}, "State"), state.length > 0 ? entryList(state) : make("p", { class: "dim" }, "(no state)"));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      parts.push(make("p", { class: "dim" }, "The state cannot be read."));
    }
  }
  element("contents").replaceChildren(...parts);
  element("details").scrollTop = 0;
}

/** Returns the path of a node as buttons that lead to the nodes on it, with separators. */
function pathElements(index, action) {
  const way = [];
  for (let next = index; next >= 0; next = shown.archive.parents[next]) way.unshift(next);
  return way.flatMap((node, place) => [
    place > 0 ? " / " : "",
    node === index ? foreign(nameOf(node)) : make("button", { type: "button", class: "link", onclick: () => action(node) }, foreign(nameOf(node))),
  ]);
}

const mostShown = 500;
const mostText = 4000;

/** Returns the first items of a list, and a button for more of them. */
function listOf(items, makeItem) {
  const list = make("ul", {});
  const add = (start) => {
    list.append(...items.slice(start, start + mostShown).map(makeItem));
    const rest = items.length - start - mostShown;
    if (rest <= 0) return;
    const more = make("button", { type: "button", onclick: () => { more.parentNode.remove(); add(start + mostShown); } }, `show ${counted(rest, "more")}`);
    list.append(make("li", {}, more));
  };
  add(0);
  return list;
}

const entryList = (items) => listOf(items, ({ key, value, isSensitive }) => {
  const label = [foreign(key === "" ? '""' : key, { class: "key" }), ": "];
  return valueItem(label, value, isSensitive && value.kind !== "masked" ? make("span", { class: "dim" }, " (sensitive)") : "");
});

function valueItem(label, value, note = "") {
  const items = value.elements ?? value.entries;
  if (!items) return make("li", {}, ...label, scalar(value), note);
  const summary = make("summary", {}, ...label, make("span", { class: "dim" }, `${value.kind} of ${items.length.toLocaleString("en")}`), note);
  const details = make("details", {}, summary);
  const fill = () => {
    if (details.childNodes.length > 1) return;
    details.append(value.entries ? entryList(items) : listOf(items, (item) => valueItem([], item)));
  };
  if (items.length > 0 && items.length <= 20) {
    details.open = true;
    fill();
  }
  details.addEventListener("toggle", fill);
  return make("li", {}, details);
}

function dataWords(bytes) {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("bplist0") || head.startsWith("<?xml") || head.startsWith("<plist")) return " (a property list)";
  return head.startsWith("book") && head.endsWith("mark") ? " (a bookmark)" : "";
}

function scalar(value) {
  switch (value.kind) {
    case "string":
    case "url": {
      const text = value.text.slice(0, mostText);
      const shownText = foreign(text, { class: "text" }, true);
      const whole = make("span", {}, value.kind === "string" ? "“" : "", shownText, value.kind === "string" ? "”" : "");
      if (text.length < value.text.length) {
        const more = make("button", { type: "button", onclick: () => { shownText.textContent = escaped(value.text, true); more.remove(); } },
          `show all ${counted(value.text.length, "character")}`);
        whole.append(" … ", more);
      }
      return whole;
    }
    case "data": {
      const text = `${hexText(value.bytes.subarray(0, 64))}${value.bytes.length > 64 ? " …" : ""}`;
      return make("span", {}, make("span", { class: "dim" }, `data, ${counted(value.bytes.length, "byte")}${dataWords(value.bytes)}: `), make("span", { class: "code" }, text));
    }
    case "reference": {
      const index = shown.archive.find(value.path);
      const text = foreign(value.path.join("/"));
      if (index === null) return make("span", {}, "→ ", text, make("span", { class: "dim" }, " (no such node)"));
      return make("button", { type: "button", class: "link", onclick: () => reveal(index) }, "→ ", text);
    }
    default: return make("span", { class: value.kind === "masked" || value.kind === "unknown" ? "dim" : "" }, value.text);
  }
}

// MARK: Search

/** The search goes over the nodes in pieces, so that the page stays responsive; the hits come in the order of the records. */
const search = {
  hits: [], marked: null, run: 0, isDone: true, wanted: 0,

  stop() {
    this.run += 1;
    Object.assign(this, { hits: [], marked: null, isDone: true, wanted: 0 });
    element("hits").textContent = "";
  },

  isHit(index) { return this.marked !== null && this.marked[index] === 1; },

  start() {
    this.stop();
    const query = element("query").value.toLowerCase();
    if (!shown.archive || query === "") return drawRows();
    this.marked = new Uint8Array(shown.archive.count + 1);
    this.isDone = false;
    this.go(query, element("deep").checked, 0, this.run);
  },

  go(query, isDeep, start, run) {
    if (run !== this.run) return;
    const until = performance.now() + 30;
    let index = start;
    for (; index < shown.archive.count; index += 1) {
      if (index % 64 === 0 && performance.now() > until) break;
      if (!this.matches(index, query, isDeep)) continue;
      this.marked[index] = 1;
      this.hits.push(index);
    }
    this.isDone = index >= shown.archive.count;
    if (!this.isDone) setTimeout(() => this.go(query, isDeep, index, run), 0);
    this.tell();
    drawRows();
  },

  matches(index, query, isDeep) {
    if (shown.archive.isLost(index)) return false;
    const has = (text) => text.toLowerCase().includes(query);
    if (index > 0 && (has(shown.archive.identifier(index) ?? "") || has(typeText(index)))) return true;
    if (!isDeep) return false;
    try {
      const { attributes, state } = shown.archive.contents(index);
      return [...attributes, ...state].some((entry) => this.entryMatches(entry, has));
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  },

  entryMatches({ key, value }, has) { return has(key) || this.valueMatches(value, has); },

  valueMatches(value, has) {
    if (value.elements) return value.elements.some((item) => this.valueMatches(item, has));
    if (value.entries) return value.entries.some((entry) => this.entryMatches(entry, has));
    return value.kind !== "masked" && has(value.path ? value.path.join("/") : value.text ?? "");
  },

  tell(place = -1) {
    const count = this.hits.length;
    const text = count === 0 ? "nothing found" : place < 0 ? counted(count, "hit") : `${(place + 1).toLocaleString("en")} of ${counted(count, "hit")}`;
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

element("query").addEventListener("input", () => search.start());
element("deep").addEventListener("change", () => search.start());
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
    tree.focus();
  }
});

// MARK: Sizes

const mostTiles = 150;

/** Shows the sizes of the nodes below one. */
function zoom(index) {
  shown.zoom = index;
  const way = pathElements(index, (parent) => zoom(parent));
  const overhead = mapSize(index) - shown.archive.total[index];
  const note = overhead > 0 ? `, of these ${overhead.toLocaleString("en")} overhead` : "";
  element("zoom").replaceChildren(...way, ` · ${counted(mapSize(index), "byte")}${note} `);
  if (index > 0) element("zoom").append(make("button", { type: "button", onclick: () => zoom(shown.archive.parents[index]) }, "Zoom out"));
  drawMap();
}

element("map").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" && event.key !== "Backspace") return;
  if (shown.zoom > 0) zoom(shown.archive.parents[shown.zoom]);
  element("map").querySelector("button")?.focus();
});

function drawMap() {
  const map = element("map");
  if (!shown.archive || shown.archive.count === 0) return;
  const [width, height] = [map.clientWidth, map.clientHeight];
  const tiles = tilesOf(shown.zoom);
  place(tiles, 0, 0, width, height);
  map.replaceChildren(...tiles.filter((tile) => tile.width >= 2 && tile.height >= 2).map(tileElement));
}

/** Returns what is below a node, the largest first: its own bytes, its largest children, all others together. */
function tilesOf(index) {
  const { archive } = shown;
  const children = archive.children(index).toSorted((left, right) => archive.total[right] - archive.total[left]);
  const tiles = children.slice(0, mostTiles).map((child) => ({ index: child, size: archive.total[child] }));
  const rest = children.slice(mostTiles).reduce((sum, child) => sum + archive.total[child], 0);
  if (rest > 0) tiles.push({ name: `${counted(children.length - mostTiles, "smaller node")}`, size: rest });
  if (index < archive.count) tiles.push({ name: "its own record and state", size: archive.own[index] });
  if (index === 0) tiles.push(...overheadTiles());
  return tiles.filter((tile) => tile.size > 0).sort((left, right) => right.size - left.size);
}

/** Returns what nodes share and what guards them, by the names that `restoration sizes` gives it. */
function overheadTiles() {
  const { archive, entry } = shown;
  const tiles = entry.overhead.map((part) => ({ name: part.name, size: part.byteCount, isOverhead: true }));
  tiles.push({ name: "shared identifiers", size: archive.sharedIdentifiers, isOverhead: true });
  const rest = entry.byteCount - archive.total[0] - tiles.reduce((sum, tile) => sum + tile.size, 0);
  if (rest > 0) tiles.push({ name: "(unreadable)", size: rest, isOverhead: true });
  return tiles;
}

/** Returns the bytes of everything that the map shows. */
function mapSize(index) {
  const overhead = index === 0 ? overheadTiles().reduce((sum, tile) => sum + tile.size, 0) : 0;
  return shown.archive.total[index] + overhead;
}

/** Fills a rectangle with tiles as square as possible: row by row along its shorter side. */
function place(tiles, left, top, width, height) {
  let rest = tiles;
  while (rest.length > 0) {
    const total = rest.reduce((sum, tile) => sum + tile.size, 0);
    const scale = (width * height) / total;
    const side = Math.min(width, height);
    let count = 1;
    while (count < rest.length && worst(rest, count + 1, side, scale) <= worst(rest, count, side, scale)) count += 1;
    const row = rest.slice(0, count);
    const area = row.reduce((sum, tile) => sum + tile.size * scale, 0);
    const depth = side > 0 ? area / side : 0;
    let along = 0;
    for (const tile of row) {
      const length = depth > 0 ? (tile.size * scale) / depth : 0;
      Object.assign(tile, width < height
        ? { left: left + along, top, width: length, height: depth } : { left, top: top + along, width: depth, height: length });
      along += length;
    }
    if (width < height) [top, height] = [top + depth, Math.max(0, height - depth)];
    else [left, width] = [left + depth, Math.max(0, width - depth)];
    rest = rest.slice(count);
  }
}

/** Returns the worst ratio of sides among the first tiles if they share a row. */
function worst(tiles, count, side, scale) {
  let area = 0;
  for (let place = 0; place < count; place += 1) area += tiles[place].size * scale;
  const depth = area / side;
  const ratio = (tile) => { const length = (tile.size * scale) / depth; return Math.max(length / depth, depth / length); };
  return Math.max(ratio(tiles[0]), ratio(tiles[count - 1]));
}

function tileElement(tile) {
  const share = `${((100 * tile.size) / Math.max(1, mapSize(shown.zoom))).toFixed(1)} %`;
  const isNode = tile.index !== undefined;
  const name = isNode ? nameOf(tile.index) : tile.name;
  const text = `${escaped(name)}, ${isNode && typeText(tile.index) ? `${escaped(typeText(tile.index))}, ` : ""}${counted(tile.size, "byte")}, ${share}`;
  const made = isNode
    ? make("button", { type: "button", "aria-label": text, title: text, onclick: () => enter(tile.index) })
    : make("div", { class: tile.isOverhead ? "rest overhead" : "rest", title: tile.isOverhead ? `overhead: ${text}` : text });
  if (tile.width > 30 && tile.height > 14) made.append(foreign(name), tile.height > 30 ? make("small", {}, counted(tile.size, "byte")) : "");
  for (const side of ["left", "top", "width", "height"]) made.style[side] = `${tile[side]}px`;
  if (isNode) made.style.setProperty("--hue", String(hueOf(typeText(tile.index))));
  return made;
}

/** Returns a hue that is the same for all nodes of a type. */
function hueOf(text) {
  let hash = 7;
  for (let place = 0; place < text.length; place += 1) hash = (hash * 31 + text.charCodeAt(place)) % 997;
  return (hash * 137) % 360;
}

/** Zooms into a node and selects it; the focus stays on the map. */
function enter(index) {
  reveal(index);
  element("map").querySelector("button")?.focus();
}

open(0);
