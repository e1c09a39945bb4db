// The table `cmap` of a font: which glyph draws a character.

/** Glyphs by code point. Only the forms 4 and 12 of the table are read, which all fonts of Unicode have. */
export function glyphsOf(cmap: Buffer): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>();
  for (let index = 0; index < cmap.readUInt16BE(2); index += 1) {
    const at = 4 + index * 8;
    const platform = cmap.readUInt16BE(at);
    if (platform !== 0 && platform !== 3) continue;
    const map = cmap.subarray(cmap.readUInt32BE(at + 4));
    if (map.readUInt16BE(0) === 4) readSegments(map, glyphs);
    if (map.readUInt16BE(0) === 12) readGroups(map, glyphs);
  }
  return glyphs;
}

function readSegments(map: Buffer, glyphs: Map<number, number>): void {
  const twice = map.readUInt16BE(6);
  for (let at = 0; at < twice; at += 2) {
    const end = map.readUInt16BE(14 + at);
    const start = map.readUInt16BE(16 + twice + at);
    const delta = map.readUInt16BE(16 + 2 * twice + at);
    const rangeAt = 16 + 3 * twice + at;
    const range = map.readUInt16BE(rangeAt);
    for (let point = start; point <= end && point !== 0xffff; point += 1) {
      const found = range === 0 ? point : map.readUInt16BE(rangeAt + range + 2 * (point - start));
      const glyph = range !== 0 && found === 0 ? 0 : (found + delta) & 0xffff;
      if (glyph !== 0) glyphs.set(point, glyph);
    }
  }
}

function readGroups(map: Buffer, glyphs: Map<number, number>): void {
  for (let index = 0; index < map.readUInt32BE(12); index += 1) {
    const at = 16 + index * 12;
    const start = map.readUInt32BE(at);
    for (let point = start; point <= map.readUInt32BE(at + 4); point += 1) {
      const glyph = map.readUInt32BE(at + 8) + point - start;
      if (glyph !== 0) glyphs.set(point, glyph);
    }
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly glyph: number;
}

/** The table for these glyphs. Older programs know form 4 alone, which holds neither many gaps nor characters beyond 16 bits. */
export function characterMap(glyphs: ReadonlyMap<number, number>): Buffer {
  const runs = runsOf(glyphs);
  const groups = Buffer.alloc(16 + runs.length * 12);
  groups.writeUInt16BE(12, 0);
  groups.writeUInt32BE(groups.length, 4);
  groups.writeUInt32BE(runs.length, 12);
  for (const [index, { start, end, glyph }] of runs.entries()) {
    groups.writeUInt32BE(start, 16 + index * 12);
    groups.writeUInt32BE(end, 20 + index * 12);
    groups.writeUInt32BE(glyph, 24 + index * 12);
  }
  const segments = segmentsOf(runs.filter(({ end }) => end < 0xffff));
  const maps = segments ? [{ encoding: 1, map: segments }] : [];
  const head = Buffer.alloc(4 + (maps.length + 1) * 8);
  head.writeUInt16BE(maps.length + 1, 2);
  let offset = head.length;
  for (const [index, { encoding, map }] of [...maps, { encoding: 10, map: groups }].entries()) {
    head.writeUInt16BE(3, 4 + index * 8);
    head.writeUInt16BE(encoding, 6 + index * 8);
    head.writeUInt32BE(offset, 8 + index * 8);
    offset += map.length;
  }
  return Buffer.concat([head, ...maps.map(({ map }) => map), groups]);
}

function runsOf(glyphs: ReadonlyMap<number, number>): readonly Run[] {
  const runs: { start: number; end: number; glyph: number }[] = [];
  for (const [point, glyph] of [...glyphs].toSorted(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    const follows = last !== undefined && point === last.end + 1 && glyph === last.glyph + point - last.start;
    // A segment of form 4 may not cross the end of the 16 bits.
    if (follows && point !== 0x10000) last.end = point;
    else runs.push({ start: point, end: point, glyph });
  }
  return runs;
}

/** Form 4; null if it would be longer than its own field for its length can say. */
function segmentsOf(runs: readonly Run[]): Buffer | null {
  const all = [...runs, { start: 0xffff, end: 0xffff, glyph: 0 }];
  const size = 16 + all.length * 8;
  if (size > 0xffff) return null;
  const map = Buffer.alloc(size);
  const power = Math.floor(Math.log2(all.length));
  map.writeUInt16BE(4, 0);
  map.writeUInt16BE(size, 2);
  map.writeUInt16BE(all.length * 2, 6);
  map.writeUInt16BE(2 ** power * 2, 8);
  map.writeUInt16BE(power, 10);
  map.writeUInt16BE(all.length * 2 - 2 ** power * 2, 12);
  for (const [index, { start, end, glyph }] of all.entries()) {
    map.writeUInt16BE(end, 14 + index * 2);
    map.writeUInt16BE(start, 16 + all.length * 2 + index * 2);
    map.writeUInt16BE((glyph - start) & 0xffff, 16 + all.length * 4 + index * 2);
  }
  return map;
}
