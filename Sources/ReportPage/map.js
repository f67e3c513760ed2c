// The map of sizes: nested tiles, as large as the bytes of what they stand for.

const mostTiles = 100;
const mostLevels = 3;
/** The hues of the types with the most bytes; all others are grey. */
const hues = [215, 30, 130, 290, 60, 180, 345, 250];

const measure = document.createElement("canvas").getContext("2d");

/** Shows the sizes of the nodes below one. */
function zoom(row) {
  shown.zoom = row;
  const { archive } = shown;
  const overhead = row === 0 ? overheadSize() : 0;
  const size = counted(archive.total[row] + overhead, "byte");
  element("zoom").replaceChildren(...pathElements(row, (parent) => zoom(parent)), ` · ${size}${overhead > 0 ? `, of these ${overhead.toLocaleString("en")} overhead` : ""} `);
  if (row !== 0) element("zoom").append(button("Zoom out", () => zoom(archive.parents[row])));
  else if (overhead > 0) {
    element("zoom").append(button("Overhead", () => {
      shown.hasOverhead = !shown.hasOverhead;
      zoom(0);
    }, { "aria-pressed": String(shown.hasOverhead), title: "Show what nodes share and what guards them" }));
  }
  // The bytes of keys are those of the whole archive.
  const largest = row === 0 ? (shown.entry.keySizes ?? []).filter(([, byteCount]) => 100 * byteCount >= shown.entry.byteCount) : [];
  element("largest").replaceChildren(...largest.slice(0, 4).flatMap(([name, byteCount, count], place) => [
    place === 0 ? "by key: " : "; ", foreign(name), `: ${bytesText(byteCount)}, ${((100 * byteCount) / shown.entry.byteCount).toFixed(1)} %, in ${counted(count, "node")}`]));
  drawMap();
}

element("map").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" && event.key !== "Backspace") return;
  if (shown.zoom > 0) zoom(shown.archive.parents[shown.zoom]);
  element("map").querySelector("button")?.focus();
});

function drawMap() {
  const map = element("map");
  const { archive, zoom: row } = shown;
  map.replaceChildren();
  element("legend").replaceChildren();
  if (!archive || archive.count === 0 || map.clientWidth === 0) return;
  measure.font = getComputedStyle(map).font;
  const tiles = tilesOf(row, mostTiles);
  if (row === 0 && shown.hasOverhead) tiles.push({ name: "overhead", size: overheadSize(), inner: overheadTiles() });
  draw(tiles.sort((left, right) => right.size - left.size), map, map.clientWidth, map.clientHeight, 1);
  const shownTypes = [...colors()].filter(([, hue]) => [...map.querySelectorAll("button")].some((tile) => tile.style.getPropertyValue("--hue") === String(hue)));
  element("legend").replaceChildren(...shownTypes.map(([type, hue]) => make("li", {}, swatch(hue), foreign(type))),
    ...(map.querySelector("button.grey") ? [make("li", {}, swatch(null), "other types")] : []));
}

function swatch(hue) {
  const made = make("span", { class: hue === null ? "swatch grey" : "swatch" });
  if (hue !== null) made.style.setProperty("--hue", String(hue));
  return made;
}

/** Returns the hues of the types with the most bytes. */
function colors() {
  if (shown.colors) return shown.colors;
  const { archive } = shown;
  const sizes = new Map();
  for (let row = 0; row < archive.count; row += 1) if (archive.types[row]) sizes.set(archive.type(row), (sizes.get(archive.type(row)) ?? 0) + archive.own[row]);
  const largest = [...sizes].sort((left, right) => right[1] - left[1]).slice(0, hues.length);
  shown.colors = new Map(largest.map(([type], place) => [type, hues[place]]));
  return shown.colors;
}

/** Returns what is below a node, the largest first: its own bytes, its largest children, all others together. */
function tilesOf(row, most) {
  const { archive } = shown;
  const children = archive.children(row).sort((left, right) => archive.total[right] - archive.total[left]);
  const tiles = children.slice(0, most).map((child) => ({ row: child, size: archive.total[child] }));
  const rest = children.slice(most).reduce((sum, child) => sum + archive.total[child], 0);
  if (rest > 0) tiles.push({ name: counted(children.length - most, "smaller node"), size: rest });
  tiles.push({ name: "its own record and state", size: archive.own[row] });
  return tiles.filter((tile) => tile.size > 0).sort((left, right) => right.size - left.size);
}

const overheadSize = () => (shown.entry.overhead ?? []).reduce((sum, [, size]) => sum + size, 0);

/** Returns what nodes share and what guards them, by the names that `restoration sizes` gives it; small parts together. */
function overheadTiles() {
  const all = shown.entry.overhead.map(([name, size]) => ({ name, size }));
  const isLarge = ({ size }) => size * 20 > overheadSize();
  const small = all.filter((part) => !isLarge(part));
  const rest = { name: counted(small.length, "smaller part"), size: small.reduce((sum, { size }) => sum + size, 0) };
  return [...all.filter(isLarge), rest].filter(({ size }) => size > 0).sort((left, right) => right.size - left.size);
}

/** Fills an element with tiles, and large tiles with what is below their nodes. */
function draw(tiles, parent, width, height, level) {
  place(tiles, 0, 0, width, height);
  for (const tile of tiles) {
    if (tile.width < 3 || tile.height < 3) continue;
    const made = tileElement(tile);
    parent.append(made);
    const hasMore = tile.inner || (tile.row !== undefined && shown.archive.hasChildren(tile.row));
    if (hasMore && level < mostLevels && tile.width > 60 && tile.height > 48) {
      const inner = make("div", { class: "inner" });
      parent.append(inner);
      const box = { left: tile.left + 3, top: tile.top + 20, width: tile.width - 6, height: tile.height - 23 };
      for (const [side, length] of Object.entries(box)) inner.style[side] = `${length}px`;
      draw(tile.inner ?? tilesOf(tile.row, mostTiles / 4), inner, box.width, box.height, level + 1);
    }
  }
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
  const { archive } = shown;
  const whole = archive.total[shown.zoom] + (shown.zoom === 0 ? overheadSize() : 0);
  const share = `${((100 * tile.size) / Math.max(1, whole)).toFixed(1)} %`;
  const isNode = tile.row !== undefined;
  const name = escaped(isNode ? archive.name(tile.row) : tile.name);
  const type = isNode ? archive.type(tile.row) : "";
  const text = `${name}, ${type ? `${escaped(type)}, ` : ""}${counted(tile.size, "byte")}, ${share}`;
  const made = isNode
    ? button([], () => enter(tile.row), { "aria-label": text, title: text })
    : make("div", { class: "grey", title: text });
  // A label that does not fit says nothing.
  const size = counted(tile.size, "byte");
  const room = tile.width - 10;
  if (tile.height > 18 && measure.measureText(name).width < room) {
    made.append(make("bdi", { dir: "auto" }, name));
    if (measure.measureText(`${name}  ${size}`).width < room) made.append(make("small", {}, `  ${size}`));
  }
  for (const side of ["left", "top", "width", "height"]) made.style[side] = `${tile[side]}px`;
  const hue = colors().get(type);
  if (isNode && hue !== undefined) made.style.setProperty("--hue", String(hue));
  else made.classList.add("grey");
  return made;
}

/** Zooms into a node and selects it; the focus stays on the map. */
function enter(row) {
  reveal(row);
  element("map").querySelector("button")?.focus();
}
