// The archives of the page, as the tool wrote them: `PageNodes.swift` describes the form.
//
// Content of an archive reaches the page as text nodes alone: no markup is ever made of a string.

const element = (name) => document.getElementById(name);
const parsed = (name) => JSON.parse(element(name).textContent);

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

const button = (text, action, attributes = {}) => make("button", { type: "button", onclick: action, ...attributes }, ...[text].flat());
const link = (text, action, attributes = {}) => button(text, action, { class: "link", ...attributes });
/** Returns a number of bytes as a figure for people. */
const bytesText = (count) => count < 1000 ? counted(count, "byte") : count < 1e6 ? `${Number((count / 1e3).toPrecision(3))} KB` : `${Number((count / 1e6).toPrecision(3))} MB`;
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

// MARK: Data

const report = parsed("report");
const entries = Array.from({ length: report.archiveCount }, (_, number) => parsed(`archive-${number}`));
/** The states of all archives, a line each; and the keys that they refer to by number. */
const lines = [...document.querySelectorAll("script.states")].flatMap((block) => block.textContent.split("\n").slice(0, -1));
const keys = entries.flatMap((entry) => entry.keys);
const Mark = { none: 0, recordLost: 1, nameLost: 2, stateLost: 3, nameOmitted: 4, stateOmitted: 5, unplaced: 6 };
const markWords = ["", "record lost", "name lost", "state lost", "name not on this page", "state not on this page", ""];

const isOmitted = (mark) => mark === Mark.nameOmitted || mark === Mark.stateOmitted;

/** The nodes of one archive. Rows are in the order of the page: a node, then all below it. */
class Archive {
  constructor(entry) {
    const tree = parsed(`tree-${entry.tree}`);
    this.entry = entry;
    this.names = tree.names;
    this.tags = tree.tags;
    this.count = tree.names.length;
    this.types = tree.types;
    this.marks = tree.marks;
    this.origins = tree.origins;
    this.depths = Uint32Array.from(tree.depths);
    this.states = new Uint32Array(this.count);
    let row = 0;
    for (const [first, count] of entry.runs) for (let place = 0; place < count; place += 1) this.states[row++] = first + place;
    // The row after the last one below each, its parent, its place among its siblings, and their number.
    this.ends = new Uint32Array(this.count);
    this.parents = new Int32Array(this.count).fill(-1);
    this.places = new Uint32Array(this.count);
    this.childCounts = new Uint32Array(this.count);
    this.own = new Float64Array(this.count);
    const way = [];
    for (row = 0; row < this.count; row += 1) {
      while (way.length > this.depths[row]) this.ends[way.pop()] = row;
      if (way.length > 0) {
        this.parents[row] = way[way.length - 1];
        this.places[row] = this.childCounts[this.parents[row]]++;
      }
      way.push(row);
      const isNode = this.marks[row] !== Mark.recordLost && this.marks[row] !== Mark.unplaced;
      this.own[row] = isNode ? 48 + tree.bytes[row] + parseInt(lines[this.states[row]], 10) : 0;
    }
    for (const left of way) this.ends[left] = this.count;
    this.total = this.own.slice();
    for (row = this.count - 1; row > 0; row -= 1) this.total[this.parents[row]] += this.total[row];
    this.index = new Map();
    /** Whether a node that is not found may be one whose name the page has no room for. */
    this.hasAllNames = !this.marks.includes(Mark.nameOmitted);
  }

  hasChildren(row) { return this.ends[row] > row + 1; }

  children(row) {
    const found = [];
    for (let child = row + 1; child < this.ends[row]; child = this.ends[child]) found.push(child);
    return found;
  }

  /** Returns the name of a row for people. */
  name(row) {
    if (row === 0) return "(application)";
    if (this.marks[row] === Mark.unplaced) return "(nodes whose place is lost)";
    return this.isNamed(row) ? this.names[row] : `(${markWords[this.marks[row]]})`;
  }

  isNamed(row) { return this.marks[row] !== Mark.recordLost && this.marks[row] !== Mark.nameLost && this.marks[row] !== Mark.nameOmitted; }
  type(row) { return this.types[row] ? this.tags[this.types[row] - 1] : ""; }
  origin(row) { return this.origins[row] ? this.entry.origins[this.origins[row] - 1] : null; }

  /** Returns the rows from the application to a row. */
  way(row) {
    const way = [];
    for (let next = row; next >= 0; next = this.parents[next]) way.push(next);
    return way.reverse();
  }

  path(row) { return this.way(row).slice(1).map((next) => this.name(next)); }

  /** Returns the row at a path, or -1. */
  find(path) {
    let row = 0;
    for (const name of path) {
      if (!this.index.has(row)) this.index.set(row, new Map(this.children(row).filter((child) => this.isNamed(child)).map((child) => [this.names[child], child])));
      row = this.index.get(row).get(name) ?? -1;
      if (row < 0) break;
    }
    return row;
  }

  /** Returns state, attributes and provider of a row. */
  contents(row) {
    return contentsOf(this.states[row]);
  }
}

function contentsOf(number) {
  const line = lines[number];
  const [state = [], attributes = [], provider = null] = JSON.parse(line.slice(line.indexOf(" ") + 1) || "[]");
  return { state: pairs(state), attributes: pairs(attributes), provider };
}

/** Returns the entries of a list of keys and values in turn. */
function pairs(list) {
  const found = [];
  for (let place = 0; place < list.length; place += 2) found.push([typeof list[place] === "number" ? keys[list[place]] : list[place], list[place + 1]]);
  return found;
}

/** Returns the kind of a value, what it holds, and whether it is a sensitive one that is revealed. */
function opened(value) {
  if (value === null || typeof value === "boolean") return { kind: "plain", text: String(value) };
  if (typeof value === "number") return { kind: "plain", text: String(value) };
  if (typeof value === "string") return { kind: "string", text: value };
  if (Array.isArray(value)) return { kind: "array", items: value };
  if ("sensitive" in value) return { ...opened(value.sensitive), isSensitive: true };
  if ("entries" in value) return { kind: "dictionary", items: pairs(value.entries) };
  if ("reference" in value) return { kind: "reference", path: value.reference };
  if ("data" in value) return { kind: "data", base64: value.data, words: value.is };
  const [[kind, text]] = Object.entries(value);
  return { kind, text };
}

/** Returns a value on one line, as the tool prints it. */
function lineOf(value, most = 200) {
  const { kind, text, items, path, base64, words } = opened(value);
  switch (kind) {
    case "string": return `"${cut(escaped(text.slice(0, most)), text.length > most)}"`;
    case "url": return `<${cut(escaped(text.slice(0, most)), text.length > most)}>`;
    case "reference": return `→ ${escaped(path.join("/"))}`;
    case "data": return `data, ${counted(dataLength(base64), "byte")}${words ? ` (${escaped(words)})` : ""}`;
    case "array": return isShort(items) ? `[${items.map((item) => lineOf(item)).join(", ")}]` : `array of ${items.length}`;
    case "dictionary": return `dictionary of ${items.length}`;
    default: return text;
  }
}

const cut = (text, isCut) => (isCut ? `${text}…` : text);
const dataLength = (base64) => (base64.length / 4) * 3 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);

/** Whether an array is shown in one line: few numbers, dates or words. */
function isShort(items) {
  let length = 0;
  return items.length <= 20 && items.every((item) => {
    const { kind, text = "" } = opened(item);
    length += text.length + 4;
    return ["plain", "string", "url", "integer", "float", "date", "uuid"].includes(kind) && length <= 100;
  });
}

const summaryKeys = ["title", "name", "label", "url", "text"];

/** Returns what a node is, in the words of its own state: a title, a name, a label, an address or a text. */
function summaryOf(state) {
  const found = new Map(state);
  for (const key of summaryKeys) {
    const { kind, text = "" } = found.has(key) ? opened(found.get(key)) : {};
    if ((kind === "string" || kind === "url" || kind === "masked") && text !== "") return cut(text.slice(0, 120), text.length > 120);
  }
  return "";
}
