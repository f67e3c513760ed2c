// A reader of restoration archives, by the rules of Spec/format.md (chapters 4.3 and 6).
//
// It reads the copy of an archive that the report made: the metadata, then the sections NODE, STRS and STAT. The copy
// holds verified bytes only. Three spare bits of a node's flags say what could not be read, and sensitive values are
// overwritten; `PageArchive.swift` describes both. Nothing here trusts the bytes: every length is checked.

/** The bits of a node record's flags: two of the format, three of the copy. */
const Flag = { provider: 0x01, attributes: 0x02, stateLost: 0x20, nameLost: 0x40, recordLost: 0x80 };

/** The length of a node record (Spec 6.4). */
const recordLength = 48;

const utf8 = new TextDecoder("utf-8");

/** A place in the bytes, and the end of the structure that it is in. */
class Cursor {
  constructor(bytes, position, end) {
    this.bytes = bytes;
    this.position = position;
    this.end = Math.min(end, bytes.length);
  }

  get isAtEnd() { return this.position >= this.end; }

  /** Returns the next bytes; throws if there are fewer. */
  take(count) {
    if (count > this.end - this.position) throw new RangeError("a length exceeds the bytes left");
    this.position += count;
    return this.bytes.subarray(this.position - count, this.position);
  }

  byte() { return this.take(1)[0]; }

  /** Reads a number of seven bits a byte (5.1). */
  varint() {
    let number = 0;
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.byte();
      number += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
    }
    return number;
  }

  text(count) { return utf8.decode(this.take(count)); }

  /** Reads a length and that many bytes of text (5.2). */
  string() { return this.text(this.varint()); }

  /** Returns a cursor over the next bytes, and skips them. */
  part(count) {
    this.take(count);
    return new Cursor(this.bytes, this.position - count, this.position);
  }

  /** Reads an integer of so many bytes, exactly. */
  integer(count) {
    let number = 0n;
    this.take(count).forEach((byte, place) => { number |= BigInt(byte) << BigInt(8 * place); });
    return number;
  }

  /** Reads the most significant bytes of a float64; the others are zero. */
  float(count) {
    const bytes = new Uint8Array(8);
    bytes.set(this.take(count), 8 - count);
    return new DataView(bytes.buffer).getFloat64(0, true);
  }
}

/** Returns the text of an instant, given as seconds since the start of 2001. */
function dateText(seconds) {
  const date = new Date((seconds + 978307200) * 1000);
  return isNaN(date) ? `${seconds} s since 2001` : date.toISOString();
}

/** Returns the text of bytes in hexadecimal. */
function hexText(bytes) { return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" "); }

/** The kinds of masked values, by the tag that replaces their own. */
const maskedKinds = { 0xc0: "text", 0xc1: "url", 0xc2: "data", 0xc3: "array", 0xc4: "dictionary" };

/** An archive, read on demand. */
class Archive {
  /**
   * @param {Uint8Array} bytes The copy.
   * @param {{metadata: number, nodes: number, strings: number, states: number}} parts The lengths of its four parts.
   * @param {boolean} isRevealed Whether sensitive values are in it.
   */
  constructor(bytes, parts, isRevealed) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.isRevealed = isRevealed;
    this.nodes = parts.metadata;
    this.count = Math.floor(parts.nodes / recordLength);
    this.strings = this.nodes + parts.nodes;
    this.states = this.strings + parts.strings;
    this.header = [];
    this.origins = [];
    this.types = [];
    this.keys = [];
    this.readMetadata(new Cursor(bytes, 0, parts.metadata));
    this.arrangeNodes();
  }

  /** Reads the metadata (4.3): volatile header, directory, header, origins, types, keys. */
  readMetadata(cursor) {
    this.readHeader(cursor);
    cursor.position = 192;
    for (let left = cursor.varint(); left > 0; left -= 1) {
      cursor.take(4);
      cursor.varint();
    }
    this.readHeader(cursor);
    for (let left = cursor.varint(); left > 0; left -= 1) {
      const present = cursor.byte();
      const [version, time, sessions] = [cursor.string(), cursor.float(8), cursor.varint()];
      const parts = [present & 1 ? `build ${version}` : "an unknown build"];
      if (present & 2) parts.push(`saved ${dateText(time)}`);
      this.origins.push(`${parts.join(", ")}, carried over ${sessions} ${sessions === 1 ? "time" : "times"}`);
    }
    for (let left = cursor.varint(); left > 0; left -= 1) this.types.push({ tag: cursor.string(), schema: cursor.varint() });
    for (let left = cursor.varint(); left > 0; left -= 1) this.keys.push(cursor.string());
  }

  readHeader(cursor) {
    for (let left = cursor.varint(); left > 0; left -= 1) this.header.push({ key: cursor.string(), value: this.value(cursor, 0) });
  }

  // The fields of a node record (6.4).
  uint32(index, offset) { return this.view.getUint32(this.nodes + index * recordLength + offset, true); }
  uint16(index, offset) { return this.view.getUint16(this.nodes + index * recordLength + offset, true); }
  flags(index) { return this.bytes[this.nodes + index * recordLength + 28]; }
  isLost(index) { return (this.flags(index) & Flag.recordLost) !== 0; }
  stateLength(index) { return this.uint32(index, 20); }

  /**
   * Finds the parent of each record, its depth, and the bytes of each node alone and with all below it.
   *
   * A record belongs to the first record whose range of children holds it, if it names that one as its parent or is
   * lost. So each has one parent at most, which comes before it, whatever the bytes are. The records without one are
   * below an entry of their own, whose index is the number of records.
   */
  arrangeNodes() {
    const count = this.count;
    this.parents = new Int32Array(count + 1).fill(-1);
    this.depths = new Uint16Array(count + 1);
    this.own = new Float64Array(count + 1);
    // The range of records that may be children of each. Ranges ascend; the part of one that goes back is not looked at.
    this.starts = new Int32Array(count + 1);
    this.ends = new Int32Array(count + 1);
    let next = 1;
    for (let parent = 0; parent < count; parent += 1) {
      if (this.isLost(parent)) continue;
      const first = this.uint32(parent, 8);
      const end = Math.min(first + this.uint32(parent, 12), count);
      this.starts[parent] = Math.max(first, parent + 1, next);
      this.ends[parent] = Math.max(end, this.starts[parent]);
      for (let child = this.starts[parent]; child < end; child += 1) {
        if (this.isLost(child) || this.uint32(child, 0) === parent) this.parents[child] = parent;
      }
      if (end > this.starts[parent]) next = end;
    }
    this.unplaced = [];
    for (let index = 1; index < count; index += 1) {
      if (this.parents[index] < 0) {
        this.unplaced.push(index);
        this.parents[index] = count;
        this.depths[index] = 2;
      } else {
        this.depths[index] = Math.min(this.depths[this.parents[index]] + 1, 65535);
      }
    }
    this.depths[count] = 1;
    this.parents[count] = 0;
    // An identifier in STRS belongs to its node, unless several nodes share it.
    const uses = new Uint8Array(this.states - this.strings + 1);
    const place = (index) => {
      const field = this.nodes + index * recordLength + 29;
      return this.isLost(index) || this.bytes[field] !== 0xff ? -1 : Math.min(this.view.getUint32(field + 15, true), uses.length - 1);
    };
    for (let index = 1; index < count; index += 1) if (place(index) >= 0) uses[place(index)] = Math.min(uses[place(index)] + 1, 2);
    this.sharedIdentifiers = 0;
    for (let index = 0; index < count; index += 1) {
      const use = index > 0 && place(index) >= 0 ? uses[place(index)] : 0;
      const name = use > 0 ? this.view.getUint16(this.nodes + index * recordLength + 42, true) : 0;
      this.own[index] = recordLength + (use === 1 ? name : 0) + (this.isLost(index) ? 0 : this.stateLength(index));
      if (use !== 2) continue;
      this.sharedIdentifiers += name;
      // Counted once.
      uses[place(index)] = 3;
    }
    this.total = this.own.slice();
    for (let index = count - 1; index > 0; index -= 1) this.total[this.parents[index]] += this.total[index];
    if (count > 0) this.total[0] += this.total[count];
  }

  /** Returns the children of a node in saved order; lost ones come last, and behind the roots the unplaced ones. */
  children(index) {
    if (index === this.count) return this.unplaced;
    const found = [];
    const place = (child) => (this.isLost(child) ? 2 ** 32 : this.uint32(child, 4));
    for (let child = this.starts[index]; child < this.ends[index]; child += 1) if (this.parents[child] === index) found.push(child);
    found.sort((left, right) => place(left) - place(right) || left - right);
    if (index === 0 && this.unplaced.length > 0) found.push(this.count);
    return found;
  }

  hasChildren(index) {
    if (index === this.count) return this.unplaced.length > 0;
    return this.ends[index] > this.starts[index] || (index === 0 && this.unplaced.length > 0);
  }

  /** Returns the identifier of a node (6.5), or null if it cannot be read. */
  identifier(index) {
    if (this.flags(index) & (Flag.recordLost | Flag.nameLost)) return null;
    const field = this.nodes + index * recordLength + 29;
    const length = this.bytes[field];
    if (length !== 0xff) return utf8.decode(this.bytes.subarray(field + 1, field + 1 + length));
    const start = this.strings + this.view.getUint32(field + 15, true);
    return utf8.decode(this.bytes.subarray(start, start + this.view.getUint16(field + 13, true)));
  }

  /** Returns the type of a node with its schema version, or null. */
  type(index) {
    if (index >= this.count || this.isLost(index)) return null;
    return this.types[this.uint16(index, 24) - 1] ?? null;
  }

  /** Returns the description of the save that a node was carried over from, or null. */
  origin(index) { return this.isLost(index) ? null : this.origins[this.uint16(index, 26) - 1] ?? null; }

  /** Returns the identifiers from the root to a node; a lost one is null. */
  path(index) {
    const path = [];
    for (let next = index; next > 0 && next !== this.count; next = this.parents[next]) path.push(this.identifier(next));
    return path.reverse();
  }

  /** Returns the node at a path, or null. */
  find(path) {
    let index = 0;
    for (const identifier of path) {
      index = this.childrenByName(index).get(identifier) ?? -1;
      if (index < 0) return null;
    }
    return index;
  }

  childrenByName(index) {
    this.names ??= new Map();
    if (!this.names.has(index)) {
      this.names.set(index, new Map(this.children(index).filter((child) => child < this.count).map((child) => [this.identifier(child), child])));
    }
    return this.names.get(index);
  }

  // State records and values.

  /** Returns provider, attributes and state of a node (6.3); throws if they cannot be read. */
  contents(index) {
    const flags = this.flags(index);
    if (flags & (Flag.recordLost | Flag.stateLost)) throw new RangeError("the state is lost");
    const start = this.states + this.uint32(index, 16);
    const cursor = new Cursor(this.bytes, start, start + this.stateLength(index));
    const contents = { provider: null, attributes: [], state: [] };
    if (flags & Flag.provider) contents.provider = [cursor.string(), cursor.string()];
    if (flags & Flag.attributes) contents.attributes = this.entries(cursor.part(cursor.varint()), 0);
    contents.state = this.entries(cursor, 0);
    return contents;
  }

  /** Reads entries to the end of the cursor (6.2). */
  entries(cursor, nesting) {
    const entries = [];
    while (!cursor.isAtEnd) {
      const key = this.key(cursor);
      const isSensitive = this.bytes[cursor.position] === 0x03;
      if (isSensitive) cursor.byte();
      const value = isSensitive && !this.isRevealed ? this.masked(cursor) : this.value(cursor, nesting);
      entries.push({ key, value, isSensitive });
    }
    return entries;
  }

  key(cursor) {
    const first = cursor.byte();
    if (first === 0) return cursor.string();
    const index = first < 0xf0 ? first - 1 : 239 + 256 * (first - 0xf0) + cursor.byte();
    return this.keys[index] ?? "";
  }

  /** Reads what the copy has in place of a sensitive value. */
  masked(cursor) {
    const kind = maskedKinds[cursor.byte()] ?? "";
    if (cursor.bytes[cursor.position - 1] === 0) return { kind: "masked", text: "<sensitive>" };
    const length = cursor.varint();
    cursor.take(length);
    const limit = [16, 256, 4096, 65536].find((most) => length <= most);
    const size = limit ? `up to ${limit}` : "over 65536";
    return { kind: "masked", text: kind ? `<sensitive, ${kind} of ${size} bytes>` : "<sensitive>" };
  }

  /** Reads a value (6.1). Containers are nested 128 deep at most. */
  value(cursor, nesting) {
    if (nesting > 128) throw new RangeError("values are nested too deep");
    const tag = cursor.byte();
    if (tag >= 0x80 && tag <= 0xbf) return { kind: "string", text: cursor.text(tag - 0x80) };
    if (tag >= 0x40 && tag <= 0x7f) return { kind: "integer", text: String(tag - 0x40) };
    if (tag >= 0x10 && tag <= 0x17) return { kind: "integer", text: String(cursor.integer(tag - 0x0f)) };
    if (tag >= 0x18 && tag <= 0x1f) return { kind: "integer", text: String(-1n - cursor.integer(tag - 0x17)) };
    if (tag >= 0x20 && tag <= 0x28) {
      const number = cursor.float(tag - 0x20);
      return { kind: "float64", text: Object.is(number, -0) ? "-0" : String(number) };
    }
    if (tag >= 0x30 && tag <= 0x38) return { kind: "date", text: dateText(cursor.float(tag - 0x30)) };
    switch (tag) {
      case 0x00: return { kind: "null", text: "null" };
      case 0x01: return { kind: "bool", text: "false" };
      case 0x02: return { kind: "bool", text: "true" };
      case 0x09: return { kind: "uuid", text: uuidText(cursor.take(16)) };
    }
    const content = cursor.part(cursor.varint());
    switch (tag) {
      case 0x04: return { kind: "array", elements: this.elements(content, nesting + 1) };
      case 0x05: return { kind: "dictionary", entries: this.entries(content, nesting + 1) };
      case 0x06: return { kind: "string", text: content.text(content.end - content.position) };
      case 0x07: return { kind: "data", bytes: content.take(content.end - content.position) };
      case 0x08: return { kind: "url", text: content.text(content.end - content.position) };
      case 0x0a: {
        const path = [];
        while (!content.isAtEnd) path.push(content.string());
        return { kind: "reference", path };
      }
      default: return { kind: "unknown", text: "a value of a later version of the format" };
    }
  }

  elements(cursor, nesting) {
    const elements = [];
    while (!cursor.isAtEnd) elements.push(this.value(cursor, nesting));
    return elements;
  }
}

/** Returns the text of a UUID. */
function uuidText(bytes) {
  const digits = hexText(bytes).replaceAll(" ", "").toUpperCase();
  return [0, 8, 12, 16, 20].map((start, place) => digits.slice(start, [8, 12, 16, 20, 32][place])).join("-");
}
