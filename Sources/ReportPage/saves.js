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

const isOneArchive = entries.every(({ group }) => group === entries[0].group);
const nameOfSave = (number) => (entries[number].group && !isOneArchive ? `${entries[number].group}, ${entries[number].name}` : entries[number].name);
/** The save before one in its group, or -1. */
const before = (number) => (number > 0 && entries[number - 1].group === entries[number].group ? number - 1 : report.comparison && number === report.comparison[1] ? report.comparison[0] : -1);

/** Returns the title of a scene: that of the first of its first four nodes that has one. */
function titleOf(group) {
  const { runs } = entries.findLast((entry) => entry.group === group && entry.tree !== undefined) ?? {};
  const first = (runs ?? []).slice(0, 4).flatMap(([start, count]) => [...Array(Math.min(4, count)).keys()].map((place) => start + place));
  return first.slice(0, 4).map((line) => summaryOf(contentsOf(line).state)).find(Boolean) ?? "";
}

const nameOfArchive = (group) => [group, /(^|: )scene /.test(group) && titleOf(group)].filter(Boolean).join(" · ");

/** Returns the bytes of the newest of some saves, and of the smallest and largest that was written if they differ. */
function bytesOf(saves) {
  const written = saves.flatMap((save) => save.writtenByteCount ?? []);
  const [least, most] = [Math.min(...written), Math.max(...written)];
  return bytesText(saves.findLast(({ byteCount }) => byteCount > 0)?.byteCount ?? 0) + (most > 1.1 * least ? `, saves of ${bytesText(least)} to ${bytesText(most)}` : "");
}

function showSaves() {
  element("timeline").hidden = element("comparison").hidden = entries.length < 2;
  if (entries.length < 2) return;
  const groups = [];
  entries.forEach((entry, number) => {
    if (groups.length === 0 || groups.at(-1).name !== entry.group) groups.push({ name: entry.group, builds: [] });
    const { builds } = groups.at(-1);
    const build = entry.build ?? "unknown";
    if (builds.length === 0 || builds.at(-1).name !== build) builds.push({ name: build, saves: [], ticks: [] });
    builds.at(-1).saves.push(entry);
    builds.at(-1).ticks.push(tickOf(number));
  });
  element("saves").replaceChildren(...groups.map(({ name, builds }) => make("div", { class: "line" },
    name ? make("h3", {}, foreign(nameOfArchive(name))) : "", make("div", { class: "builds" }, ...builds.map((build) => make("div", { class: "build", role: "group", "aria-label": `build ${escaped(build.name)}` },
      make("span", { class: "dim" }, "build ", foreign(build.name), `: ${bytesOf(build.saves)}`), make("ol", { class: "ticks" }, ...build.ticks)))))));
  const { comparison } = shown;
  for (const [name, chosen] of [["from", comparison[0]], ["to", comparison[1]]]) {
    element(name).replaceChildren(...entries.map((_, number) => make("option", { value: number, selected: number === chosen }, escaped(nameOfSave(number)))));
  }
  showComparison();
}

function tickOf(number) {
  const { name, saved, status, hasFile, isSound, changes, byteCount, sign = before(number) < 0 ? "○" : "…" } = entries[number];
  const text = [name, saved && `saved ${saved}`, status, sizeOf(number), changes].filter(Boolean).join(", ");
  const label = hasFile ? [foreign(name.replace(/^generation (\d+).*$/, "$1")), " "] : [];
  const bar = make("span", { class: "bar" });
  bar.style.height = `${(92 * byteCount) / largestSave.get(entries[number].group)}%`;
  return make("li", {}, button([isSound ? "" : "⚠ ", ...label, make("span", { class: sign === signs.removed ? "removed" : "" }, sign), bar], () => open(number, true),
    { class: hasFile ? "file" : "save", "aria-current": number === shown.number && "true", "aria-label": escaped(text), title: escaped(text) }));
}

/** The bytes of the largest save of each archive. */
const largestSave = new Map();
for (const { group, byteCount } of entries) largestSave.set(group, Math.max(byteCount, largestSave.get(group) ?? 1));

const sizeOf = (number) => [entries[number].byteCount > 0 && bytesText(entries[number].byteCount), entries[number].writtenByteCount && `wrote ${bytesText(entries[number].writtenByteCount)}`].filter(Boolean).join(", ");

/** A change of a node concerns it alone; one of another kind, all nodes below it too. */
const signOfTouch = (kind, path) => (kind === "changed" ? "~" : "") + JSON.stringify(path);

/** Marks the saves that changed the selected node, or added, moved or removed it. */
function markTicks() {
  const { wanted, entry } = shown;
  const touches = [signOfTouch("changed", wanted), ...wanted.map((_, place) => signOfTouch("", wanted.slice(0, place + 1)))];
  element("saves").querySelectorAll(".ticks button").forEach((tick, number) => {
    const { group, touched } = entries[number];
    tick.classList.toggle("touched", group === entry.group && touched !== undefined && touches.some((sign) => touched.has(sign)));
  });
}

for (const name of ["from", "to"]) {
  element(name).addEventListener("change", () => {
    shown.comparison = [Number(element("from").value), Number(element("to").value)];
    showComparison();
  });
}

function showComparison() {
  const [from, to] = shown.comparison;
  const [old, current] = [archives.get(from), archives.get(to)];
  if (from === to || !old || !current) {
    element("summary-of-changes").textContent = from === to ? "This is the oldest save." : "One of the two is not on this page.";
    element("changes").replaceChildren();
    return;
  }
  const changes = compare(old, current);
  const isPartial = entries[from].omittedCount || entries[to].omittedCount;
  element("summary-of-changes").textContent = summaryOfChanges(changes) + (isPartial ? "; states that are not on this page are not compared" : "");
  element("changes").replaceWith(Object.assign(listOf(grouped(changes), (change) => changeItem(change, from, to)), { id: "changes" }));
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
    const touched = new Set(changes.filter(({ path }) => path).map((change) => signOfTouch(change.kind, change.path)));
    Object.assign(entries[number], { changes: summaryOfChanges(changes), sign: signs[kind] ?? (changes.length > 0 ? signs.header : "="), touched });
    // The ticks are in the order of the saves.
    const tick = element("saves").querySelectorAll(".ticks li")[number];
    const hadFocus = tick.contains(document.activeElement);
    tick.replaceWith(tickOf(number));
    if (hadFocus) element("saves").querySelectorAll("button")[number].focus({ preventScroll: true });
    markTicks();
  }
  setTimeout(() => describeSaves(number + 1), 0);
}

const signs = { added: "+", removed: "−", changed: "~", moved: ">", header: "~" };

function changeItem({ kind, path, details = [], sign, same }, from, to) {
  if (same) {
    const bytes = same.reduce((sum, { byteCount }) => sum + byteCount, 0);
    const list = make("details", {}, make("summary", {}, foreign(`${sign} in ${counted(same.length, "node")}, ${bytes < 0 ? "−" : "+"}${bytesText(Math.abs(bytes))}`)));
    list.addEventListener("toggle", () => list.children.length === 1 && list.append(listOf(same, (change) => changeItem(change, from, to))));
    return make("li", { class: kind }, list);
  }
  const save = kind === "removed" ? from : to;
  const title = path && link(foreign(path.join("/") || "(application)"), () => {
    if (shown.number !== save) open(save, false, shown.comparison);
    leadTo(path);
  });
  return make("li", { class: kind }, make("span", { class: "sign" }, `${signs[kind]} `), title ?? "", ` ${kind} `, details.length > 0 ? make("pre", {}, foreign(details.slice(0, 50).join("\n"), {}, true)) : "");
}
