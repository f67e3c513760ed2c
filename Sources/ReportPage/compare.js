// The difference between two archives.

/** Returns the differences between two archives: of the header, and of the nodes by their paths. */
function compare(old, current) {
  const changes = [];
  const facts = (archive) => (archive.entry.facts ?? []).filter(([key]) => !report.volatile.includes(key));
  const header = entryChanges(facts(old), facts(current), (text) => text);
  if (header.length > 0) changes.push({ kind: "header", details: header });
  const [removed, added] = [[], []];
  const waiting = old.count > 0 && current.count > 0 ? [[0, 0]] : [];
  while (waiting.length > 0) {
    const [mine, theirs] = waiting.pop();
    const details = nodeChanges(old, mine, current, theirs);
    // What the page has no room for is neither there nor gone.
    const rows = (archive, parent) => archive.children(parent).filter((row) => archive.marks[row] !== Mark.nameOmitted);
    const children = new Map(rows(old, mine).map((row) => [old.name(row), row]));
    const pairs = [];
    for (const row of rows(current, theirs)) {
      const partner = children.get(current.name(row));
      if (partner === undefined) added.push(row);
      else pairs.push([partner, row]);
      children.delete(current.name(row));
    }
    removed.push(...children.values());
    if (pairs.some(([row], place) => place > 0 && pairs[place - 1][0] > row)) details.push("its children are in another order");
    if (details.length > 0) changes.push({ kind: "changed", path: current.path(theirs), details, byteCount: current.own[theirs] - old.own[mine] });
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
      changes.push({ kind: "added", path: current.path(row), count: below, details: firstLines(current, row, below) });
    } else {
      moved.add(source);
      changes.push({ kind: "moved", path: current.path(row), details: [`from ${old.path(source).join("/")}`] });
    }
  }
  for (const row of removed) {
    const below = old.ends[row] - row;
    if (!moved.has(row)) changes.push({ kind: "removed", path: old.path(row), count: below, details: firstLines(old, row, below) });
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
  const marks = [old.marks[mine], current.marks[theirs]];
  if (marks.some(isOmitted)) return details;
  if (marks[0] !== marks[1]) details.push(marks.map((mark) => markWords[mark] || "intact").join(" → "));
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
  if (mine.text !== undefined && theirs.text !== undefined && Math.max(mine.text.length, theirs.text.length) > 60) return [`~ ${name}: ${differingParts(mine.text, theirs.text)}`];
  const [before, after] = [text(old), text(current)];
  return [before === after ? `~ ${name}: ${after}, with other contents` : `~ ${name}: ${before} → ${after}`];
}

/** Returns the parts of two texts that differ, with what is around them. */
function differingParts(old, current) {
  const [mine, theirs] = [[...old], [...current]];
  const most = Math.min(mine.length, theirs.length);
  let [start, end] = [0, 0];
  while (start < most && mine[start] === theirs[start]) start += 1;
  while (end < most - start && mine.at(-1 - end) === theirs.at(-1 - end)) end += 1;
  const [from, after] = [Math.max(0, start - 20), Math.max(0, end - 20)];
  return [mine, theirs].map((text) => {
    const part = text.slice(from, text.length - after);
    return `"${from > 0 ? "…" : ""}${escaped(part.slice(0, 200).join(""))}${after > 0 || part.length > 200 ? "…" : ""}"`;
  }).join(" → ");
}

/** Returns changes in which a change of the same keys in many nodes is one. */
function grouped(changes) {
  const groups = new Map();
  for (const change of changes) {
    const sign = change.kind === "changed" ? change.details.map((line) => line.split(": ")[0]).join(", ") : change;
    groups.set(sign, [...(groups.get(sign) ?? []), change]);
  }
  return [...groups].flatMap(([sign, same]) => (same.length < 3 ? same : [{ kind: "changed", sign, same }]));
}
