// The details of the selected node: facts, provider, attributes and state.

function showDetails(row) {
  const { archive, problems } = shown;
  if (shown.isMissing) {
    element("details-title").replaceChildren(foreign(shown.wanted.join(" / ")));
    element("contents").replaceChildren(make("p", {}, foreign(shown.wanted.at(-1)), " is not in this save. ", ...lastSeen(shown.wanted)));
    return;
  }
  element("details-title").replaceChildren(...pathElements(row, (parent) => reveal(parent)));
  const path = archive.path(row);
  const facts = [];
  if (archive.type(row)) facts.push(["type", archive.type(row)]);
  if (archive.hasChildren(row)) facts.push(["children", archive.childCounts[row].toLocaleString("en")]);
  facts.push(["size", `${counted(archive.own[row], "byte")}, with all below ${counted(archive.total[row], "byte")}`]);
  const origin = archive.origin(row);
  if (origin) facts.push(["carried over", origin[1] || origin[0]]);
  const parts = [make("p", {}, copyButton("Copy path", () => path.join("/"))), make("dl", {}, ...facts.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, foreign(value))]))];
  for (const { word, text } of problems.get(row) ?? []) parts.push(make("p", { class: "alarm" }, "⚠ ", foreign(text ? `${word}: ${text}` : word)));
  for (const left of quarantined(shown.number)) if (archive.find(left.path) === row) parts.push(make("p", {}, foreign(left.text)), ...remedyParts(left));
  parts.push(...takeParts(row));
  const { provider, attributes, state } = archive.contents(row);
  if (provider) parts.push(make("h3", {}, "Provider"), make("p", {}, foreign(provider[0]), " ", foreign(provider[1])));
  if (attributes.length > 0) parts.push(make("h3", {}, "Attributes"), entryList(attributes));
  const isLost = archive.marks[row] !== Mark.none && archive.marks[row] !== Mark.nameLost && archive.marks[row] !== Mark.nameOmitted;
  parts.push(make("h3", {}, "State"), state.length > 0 ? entryList(state) : make("p", { class: "dim" }, isLost ? `(${markWords[archive.marks[row]] || "none"})` : "(no state)"));
  element("contents").replaceChildren(...parts);
}

// MARK: Remedies

const quarantined = (number) => report.quarantine.filter(({ group, path }) => path && group === entries[number].group);
/** The newest save in the group of one. */
const newest = (number) => entries.findLastIndex((entry) => entry.group === entries[number].group);

/** Returns a command of the tool, with a button that copies it; FOLDER stands for the folder of the store. */
function command(...words) {
  const text = ["restoration", ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
  return make("p", {}, foreign(text, { class: "code" }), " ", copyButton("Copy", () => text, { "aria-label": `Copy ${text}` }));
}

/** Returns how a quarantined node died, and how it is released. */
function remedyParts({ scene, printed, builds, deaths }) {
  const remedy = [
    make("p", {}, "Its state is kept. To have it restored, which may end build ", foreign(builds.join(", ") || "?"), " again (FOLDER: the store):"),
    command("store", ...(scene ? ["--scene", scene] : []), "--release", printed ?? "", "FOLDER"),
  ];
  return [...deaths.map((death) => make("p", {}, "On record: ", foreign(death), ".")), ...(printed ? remedy : [])];
}

function showRemedies() {
  element("remedies").replaceChildren(...report.quarantine.map((left) => {
    const number = entries.findLastIndex(({ group }) => group === left.group);
    const name = foreign(nameOfArchive(left.group));
    const lead = left.path ? link(name, () => { if (shown.number !== number) open(number); leadTo(left.path); }) : name;
    return make("li", {}, make("span", { class: "alarm" }, "⚠ left out by launches: "), lead, ": ", foreign(left.text), ...remedyParts(left));
  }), ...report.alarms.map((text) => make("li", { class: "alarm" }, "⚠ ", foreign(text))));
}

/** Returns how a state is taken out of an older save, if the newest one has not got it. */
function takeParts(row) {
  const { archive, entry, number } = shown;
  const last = newest(number);
  if (!entry.address || number === last || entries[last].tree === undefined) return [];
  const path = archive.path(row);
  const current = archives.get(last).find(path);
  if (current >= 0 && archives.get(last).states[current] === archive.states[row]) return [];
  const operands = [`FOLDER${entry.address}`, escaped(path.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1")).join("/"))];
  const get = (options, ...key) => command("get", ...options, ...([...operands, ...key].some((word) => word.startsWith("-")) ? ["--"] : []), ...operands, ...key);
  const texts = archive.contents(row).state.filter(([, value]) => ["string", "url", "data"].includes(opened(value).kind)).slice(0, 5);
  return [
    make("p", {}, current < 0 ? "Not in the newest save." : "The newest save has another state.", " To take this one (FOLDER: the store):"),
    ...(texts.length > 0 ? texts.map(([key]) => get(["--raw"], escaped(key))) : [get([])]),
  ];
}

/** Returns a link to the last save that has a node, or the first one after the shown save. */
function lastSeen(path, isAsked = false) {
  const { number, archive } = shown;
  const others = [...entries.keys()].filter((other) => other !== number && entries[other].group === entries[number].group && entries[other].tree !== undefined);
  if (others.length === 0) return [];
  // Many large archives are not opened unasked.
  if (!isAsked && archive.count * others.length > 1e6) {
    const asked = link("Look in the other saves", () => asked.replaceWith(...lastSeen(path, true)));
    return [asked];
  }
  const found = [...others.filter((other) => other < number).reverse(), ...others.filter((other) => other > number)].find((other) => archives.get(other).find(path) >= 0);
  if (found === undefined) return ["It is in no save on this page."];
  return [link([found < number ? "last seen in " : "it is in ", foreign(nameOfSave(found))], () => { open(found); leadTo(path); })];
}

/** Returns the path of a node as buttons that lead to the nodes on it, with separators; of a longer one than is valid the end. */
function pathElements(row, action) {
  return shown.archive.way(row).slice(-257).flatMap((node, place) => [
    place > 0 ? " / " : "", node === row ? foreign(shown.archive.name(node)) : link(foreign(shown.archive.name(node)), () => action(node)),
  ]);
}

/** Returns a button that copies a text; without a clipboard the browser's old command does. */
function copyButton(label, text, attributes = {}) {
  return button(label, async (event) => {
    const { target } = event;
    if (target.classList.contains("done")) return;
    let isDone = true;
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      const field = make("textarea", {});
      field.value = text();
      document.body.append(field);
      field.select();
      isDone = document.execCommand("copy");
      field.remove();
      target.focus();
    }
    target.textContent = element("copied").textContent = isDone ? "copied" : "the browser refuses to copy";
    target.classList.add("done");
    setTimeout(() => {
      element("copied").textContent = "";
      target.textContent = label;
      target.classList.remove("done");
    }, 1500);
  }, attributes);
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
    const more = button(`show ${counted(rest, "more")}`, () => { more.parentNode.remove(); add(start + mostShown); });
    list.append(make("li", {}, more));
  };
  add(0);
  return list;
}

const entryList = (items) => listOf(items, ([key, value]) => valueItem([marked(key === "" ? '""' : key, { class: "key" }), ": "], value));

function valueItem(label, value) {
  const { kind, items, isSensitive } = opened(value);
  const note = isSensitive ? make("span", { class: "dim" }, " (sensitive)") : "";
  const copy = kind === "masked" ? "" : copyButton("copy", () => copied(value), { class: "copy", "aria-label": `Copy ${label.length > 0 ? label[0].textContent : "value"}` });
  if (!items || (kind === "array" && isShort(items))) return make("li", {}, ...label, scalar(value), note, " ", copy);
  const summary = make("summary", {}, ...label, make("span", { class: "dim" }, `${kind} of ${items.length.toLocaleString("en")}`), note);
  const details = make("details", {}, summary);
  const fill = () => {
    if (details.childNodes.length === 1) details.append(kind === "dictionary" ? entryList(items) : listOf(items, (item) => valueItem([], item)));
  };
  if (items.length > 0 && items.length <= 20) {
    details.open = true;
    fill();
  }
  details.addEventListener("toggle", fill);
  return make("li", {}, details);
}

/** Returns the text of a value for the clipboard: of a string or address the text itself. */
function copied(value) {
  const { kind, text, items, path, base64 } = opened(value);
  if (kind === "array") return `[${items.map(copied).join(", ")}]`;
  if (kind === "dictionary") return `{${items.map(([key, item]) => `${key}: ${copied(item)}`).join(", ")}}`;
  return path ? path.join("/") : base64 ?? text;
}

function scalar(value) {
  const { kind, text, items, path, base64, words } = opened(value);
  switch (kind) {
    case "string":
    case "url": {
      const content = marked(text.slice(0, mostText), { class: "text" }, true);
      const [before, after] = kind === "string" ? ['"', '"'] : ["<", ">"];
      const whole = make("span", {}, before, content, after);
      if (text.length > mostText) whole.append(" … ", wholeButton(whole, text.length, "character", () => [before, marked(text, { class: "text" }, true), after]));
      return whole;
    }
    case "data": {
      const bytes = atob(base64.slice(0, 88));
      const length = dataLength(base64);
      const hex = (characters) => Array.from(characters, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
      const whole = make("span", {}, make("span", { class: "dim" }, `data, ${counted(length, "byte")}`, words ? " (" : "", words ? foreign(words) : "", words ? "): " : ": "),
        make("span", { class: "code" }, hex(bytes.slice(0, 64))));
      if (length > 64) whole.append(" … ", wholeButton(whole, length, "byte", () => [make("span", { class: "code" }, hex(atob(base64)))]));
      return whole;
    }
    case "array": return make("span", {}, "[", ...items.flatMap((item, place) => [place > 0 ? ", " : "", scalar(item)]), "]");
    case "reference": {
      const row = shown.archive.find(path);
      const target = marked(path.join("/") || "(application)");
      return row < 0 ? make("span", {}, make("span", { class: "alarm" }, "→ ", target, shown.archive.hasAllNames ? " (no such node)" : " (not found)"), " ", ...lastSeen(path)) : link(["→ ", target], () => leadTo(path));
    }
    default: return marked(text, { class: kind === "masked" ? "dim" : "" });
  }
}

/** Returns a button that replaces what is shown of a long value by all of it. */
const wholeButton = (place, count, noun, parts) => button(`show all ${counted(count, noun)}`, () => place.replaceChildren(...parts()));
