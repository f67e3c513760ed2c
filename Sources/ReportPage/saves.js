// The saves of the page on a time line, and the difference between any two of them.

/** Returns the archive of a save; the last few are kept. */
const archives = {
  opened: new Map(),
  get(number) {
    if (entries[number]?.tree === undefined) return null;
    const archive = this.opened.get(number) ?? new Archive(entries[number]);
    this.opened.delete(number);
    this.opened.set(number, archive);
    if (this.opened.size > 4) this.opened.delete(this.opened.keys().next().value);
    return archive;
  },
};

const nameOfSave = (number) => (entries[number].group ? `${entries[number].group}, ${entries[number].name}` : entries[number].name);
/** The save before one in its group, or -1. */
const before = (number) => (number > 0 && entries[number - 1].group === entries[number].group ? number - 1 : report.comparison && number === report.comparison[1] ? report.comparison[0] : -1);

function showSaves() {
  element("timeline").hidden = entries.length < 2;
  if (entries.length < 2) return;
  const groups = [];
  entries.forEach((entry, number) => {
    if (groups.length === 0 || groups.at(-1).name !== entry.group) groups.push({ name: entry.group, builds: [] });
    const { builds } = groups.at(-1);
    const build = entry.build ?? "unknown";
    if (builds.length === 0 || builds.at(-1).name !== build) builds.push({ name: build, ticks: [] });
    builds.at(-1).ticks.push(tickOf(number));
  });
  element("saves").replaceChildren(...groups.map(({ name, builds }) => make("div", { class: "line" },
    name ? make("h3", {}, foreign(name)) : "", ...builds.map((build) => make("div", { class: "build", role: "group", "aria-label": `build ${escaped(build.name)}` },
      make("span", { class: "dim" }, "build ", foreign(build.name)), make("ol", { class: "ticks" }, ...build.ticks))))));
  const { comparison } = shown;
  for (const [name, chosen] of [["from", comparison[0]], ["to", comparison[1]]]) {
    element(name).replaceChildren(...entries.map((_, number) => make("option", { value: number, selected: number === chosen }, escaped(nameOfSave(number)))));
  }
  showComparison();
}

function tickOf(number) {
  const { name, saved, status, hasFile, isSound, changes, sign = "·" } = entries[number];
  const text = [name, saved && `saved ${saved}`, status, changes].filter(Boolean).join(", ");
  const label = hasFile ? [foreign(name.replace(/^generation (\d+).*$/, "$1")), " "] : [];
  return make("li", {}, button([isSound ? "" : "⚠ ", ...label, sign], () => open(number, true),
    { class: hasFile ? "file" : "save", "aria-current": number === shown.number && "true", "aria-label": escaped(text), title: escaped(text) }));
}

for (const name of ["from", "to"]) {
  element(name).addEventListener("change", () => {
    shown.comparison = [Number(element("from").value), Number(element("to").value)];
    showComparison();
  });
}

function showComparison() {
  const [from, to] = shown.comparison;
  const { condition, saved, status } = shown.entry;
  element("save").replaceChildren(make("strong", {}, foreign(nameOfSave(shown.number))), ": ", foreign([saved && `saved ${saved}`, status, condition].filter(Boolean).join(", ")));
  const [old, current] = [archives.get(from), archives.get(to)];
  if (from === to || !old || !current) {
    element("summary-of-changes").textContent = from === to ? "This is the oldest save." : "One of the two is not on this page.";
    element("changes").replaceChildren();
    return;
  }
  const changes = compare(old, current);
  const isPartial = entries[from].omittedCount || entries[to].omittedCount;
  element("summary-of-changes").textContent = summaryOfChanges(changes) + (isPartial ? "; states that are not on this page are not compared" : "");
  element("changes").replaceWith(Object.assign(listOf(changes, (change) => changeItem(change, from, to)), { id: "changes" }));
}

function summaryOfChanges(changes) {
  const counts = new Map();
  for (const { kind, count = 1 } of changes) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return [...counts].map(([kind, count]) => (kind === "header" ? "header changed" : `${counted(count, "node")} ${kind}`)).join(", ") || "no difference";
}

/** Finds what each save changed, one save after the other; of large archives only when it is asked for. */
function describeSaves(number = 1) {
  if (number >= entries.length) return;
  const [old, current] = before(number) < 0 ? [] : [archives.get(before(number)), archives.get(number)];
  if (current?.count > 20_000) return;
  if (old && current) {
    const changes = compare(old, current);
    const kind = ["removed", "added", "moved", "changed"].find((kind) => changes.some((change) => change.kind === kind));
    Object.assign(entries[number], { changes: summaryOfChanges(changes), sign: signs[kind] });
    // The ticks are in the order of the saves.
    const tick = element("saves").querySelectorAll("li")[number];
    const hadFocus = tick.contains(document.activeElement);
    tick.replaceWith(tickOf(number));
    if (hadFocus) element("saves").querySelectorAll("button")[number].focus();
  }
  setTimeout(() => describeSaves(number + 1), 0);
}

const signs = { added: "+", removed: "−", changed: "~", moved: ">", header: "~" };

function changeItem({ kind, path, row, number, details = [] }, from, to) {
  const save = kind === "removed" ? from : to;
  const title = path && link(foreign(path.join("/") || "(application)"), () => {
    if (shown.number !== save) open(save, true, shown.comparison);
    reveal(row);
  });
  return make("li", { class: kind }, make("span", { class: "sign" }, `${signs[kind]} `), title ?? "", ` ${kind} `, details.length > 0 ? make("pre", {}, foreign(details.slice(0, 50).join("\n"), {}, true)) : "");
}

/** The header entries that every save changes. */
const volatile = ["timestamp", "systemVersion", "writer", "content digest"];

/** Returns the differences between two archives: of the header, and of the nodes by their paths. */
function compare(old, current) {
  const changes = [];
  const facts = (archive) => (archive.entry.facts ?? []).filter(([key]) => !volatile.includes(key));
  const header = entryChanges(facts(old), facts(current), (text) => text);
  if (header.length > 0) changes.push({ kind: "header", details: header });
  const [removed, added] = [[], []];
  const waiting = old.count > 0 && current.count > 0 ? [[0, 0]] : [];
  while (waiting.length > 0) {
    const [mine, theirs] = waiting.pop();
    const details = nodeChanges(old, mine, current, theirs);
    const children = new Map(old.children(mine).map((row) => [old.name(row), row]));
    const pairs = [];
    for (const row of current.children(theirs)) {
      const partner = children.get(current.name(row));
      if (partner === undefined) added.push(row);
      else pairs.push([partner, row]);
      children.delete(current.name(row));
    }
    removed.push(...children.values());
    if (pairs.some(([row], place) => place > 0 && pairs[place - 1][0] > row)) details.push("its children are in another order");
    if (details.length > 0) changes.push({ kind: "changed", path: current.path(theirs), row: theirs, details });
    waiting.push(...pairs.reverse());
  }
  // A node that has only another place, with its name, type and state.
  const sign = (archive, row) => JSON.stringify([archive.names[row], archive.type(row), archive.states[row]]);
  const places = new Map(removed.filter((row) => old.states[row] > 0).map((row) => [sign(old, row), row]));
  const moved = new Set();
  for (const row of added) {
    const source = places.get(sign(current, row));
    if (source === undefined || moved.has(source)) {
      const below = current.ends[row] - row;
      changes.push({ kind: "added", path: current.path(row), row, count: below, details: firstLines(current, row, below) });
    } else {
      moved.add(source);
      changes.push({ kind: "moved", path: current.path(row), row, details: [`from ${old.path(source).join("/")}`] });
    }
  }
  for (const row of removed) {
    const below = old.ends[row] - row;
    if (!moved.has(row)) changes.push({ kind: "removed", path: old.path(row), row, count: below, details: firstLines(old, row, below) });
  }
  return changes;
}

/** Returns the first values of a node, and the number of nodes if there are more. */
function firstLines(archive, row, count) {
  const { state } = archive.contents(row);
  const lines = state.slice(0, 8).map(([key, value]) => `${escaped(key)}: ${lineOf(value)}`);
  if (count > 1) lines.unshift(counted(count, "node"));
  return lines;
}

function nodeChanges(old, mine, current, theirs) {
  const details = [];
  if (old.type(mine) !== current.type(theirs)) details.push(`type: ${old.type(mine) || "none"} → ${current.type(theirs) || "none"}`);
  if (old.marks[mine] !== current.marks[theirs]) details.push(`${markWords[old.marks[mine]] || "intact"} → ${markWords[current.marks[theirs]] || "intact"}`);
  if (old.states[mine] === current.states[theirs]) return details;
  const [before, after] = [old.contents(mine), current.contents(theirs)];
  details.push(...entryChanges(before.attributes, after.attributes, lineOf), ...entryChanges(before.state, after.state, lineOf));
  if (JSON.stringify(before.provider) !== JSON.stringify(after.provider)) details.push("another provider");
  // States whose lines differ, and whose text is the same, differ in values that are not on the page.
  if (details.length === 0 && JSON.stringify(after).includes('{"masked":')) details.push("a sensitive value changed");
  return details;
}

/** Returns the differences between two lists of keys and values, a line each; of a container those within it. */
function entryChanges(old, current, text, place = "") {
  const changes = [];
  const values = new Map(old);
  for (const [key, value] of current) {
    const name = `${place}${escaped(key)}`;
    if (!values.has(key)) changes.push(`+ ${name}: ${text(value)}`);
    else if (JSON.stringify(values.get(key)) !== JSON.stringify(value)) changes.push(...valueChanges(name, values.get(key), value, text));
    values.delete(key);
  }
  for (const [key, value] of values) changes.push(`− ${place}${escaped(key)}: ${text(value)}`);
  return changes;
}

function valueChanges(name, old, current, text) {
  const [mine, theirs] = [old, current].map((value) => (text === lineOf ? opened(value) : {}));
  if (mine.kind === "dictionary" && theirs.kind === "dictionary") return entryChanges(mine.items, theirs.items, text, `${name}.`);
  const [before, after] = [text(old), text(current)];
  return [before === after ? `~ ${name}: ${after}, with other contents` : `~ ${name}: ${before} → ${after}`];
}
