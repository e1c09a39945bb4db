// One font of several that are parts of the same font. Google serves large fonts in a hundred parts of some characters each; Word takes
// one font for a family. Rules for joining and moving glyphs are left out: they speak of glyphs of their part.
import { characterMap, glyphsOf } from './character-map.js';
import { fontOf, tablesOf, type Tables } from './sfnt.js';

/** @param parts at least one, of one design: the same units, names and weight */
export function mergeFonts(parts: readonly [Buffer, ...Buffer[]]): Buffer {
  const all = parts.map(tablesOf);
  const glyphs: Buffer[] = [];
  const metrics: Buffer[] = [];
  const map = new Map<number, number>();
  for (const [index, tables] of all.entries()) {
    const own = glyphsIn(tables);
    // The first glyph of each part stands for all that it cannot draw: one of them is enough.
    const shift = index === 0 ? 0 : glyphs.length - 1;
    for (const [glyph, { outline, metric }] of own.entries()) {
      if (glyph === 0 && index > 0) continue;
      glyphs.push(shifted(outline, shift));
      metrics.push(metric);
    }
    for (const [point, glyph] of glyphsOf(table(tables, 'cmap'))) if (!map.has(point)) map.set(point, glyph + shift);
  }
  const [first] = all;
  if (!first) throw new Error('No font to merge');
  const merged = new Map<string, Buffer>();
  for (const tag of ['OS/2', 'name']) merged.set(tag, table(first, tag));
  merged.set('cmap', characterMap(map));
  merged.set('glyf', Buffer.concat(glyphs));
  merged.set('hmtx', Buffer.concat(metrics));
  merged.set('loca', locationsOf(glyphs));
  merged.set('maxp', largest(all, glyphs.length));
  merged.set('head', changed(table(first, 'head'), 50, 1));
  merged.set('hhea', changed(table(first, 'hhea'), 34, glyphs.length));
  // Without names of glyphs.
  const post = Buffer.from(table(first, 'post').subarray(0, 32));
  post.writeUInt32BE(0x00030000, 0);
  merged.set('post', post);
  return fontOf(merged);
}

function table(tables: Tables, tag: string): Buffer {
  const found = tables.get(tag);
  if (!found) throw new Error(`The font has no table ${tag}`);
  return found;
}

function glyphsIn(tables: Tables): readonly { readonly outline: Buffer; readonly metric: Buffer }[] {
  const [glyf, loca, hmtx] = [table(tables, 'glyf'), table(tables, 'loca'), table(tables, 'hmtx')];
  const isLong = table(tables, 'head').readUInt16BE(50) === 1;
  const advances = table(tables, 'hhea').readUInt16BE(34);
  const locate = (glyph: number): number => (isLong ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2);
  return Array.from({ length: table(tables, 'maxp').readUInt16BE(4) }, (_, glyph) => {
    const outline = glyf.subarray(locate(glyph), locate(glyph + 1));
    // Glyphs after the last advance have that one.
    const width = hmtx.readUInt16BE(Math.min(glyph, advances - 1) * 4);
    const bearing = glyph < advances ? hmtx.readInt16BE(glyph * 4 + 2) : hmtx.readInt16BE(advances * 4 + (glyph - advances) * 2);
    const metric = Buffer.alloc(4);
    metric.writeUInt16BE(width, 0);
    metric.writeInt16BE(bearing, 2);
    return { outline: Buffer.concat([outline, Buffer.alloc(-outline.length & 3)]), metric };
  });
}

/** Flags of a component: how long its arguments and its scale are, and whether another follows. */
const [wideArguments, scale, more, twoScales, matrix] = [0x1, 0x8, 0x20, 0x40, 0x80];

/** The outline with the numbers of the glyphs that it is made of moved on. */
function shifted(outline: Buffer, shift: number): Buffer {
  if (outline.length === 0 || outline.readInt16BE(0) >= 0 || shift === 0) return outline;
  const moved = Buffer.from(outline);
  for (let at = 10, flags = more; flags & more;) {
    flags = moved.readUInt16BE(at);
    moved.writeUInt16BE(moved.readUInt16BE(at + 2) + shift, at + 2);
    at += 4 + (flags & wideArguments ? 4 : 2) + (flags & scale ? 2 : 0) + (flags & twoScales ? 4 : 0) + (flags & matrix ? 8 : 0);
  }
  return moved;
}

function locationsOf(glyphs: readonly Buffer[]): Buffer {
  const locations = Buffer.alloc((glyphs.length + 1) * 4);
  let at = 0;
  for (const [index, { length }] of glyphs.entries()) locations.writeUInt32BE((at += length), (index + 1) * 4);
  return locations;
}

/** Every number of the table `maxp` is a maximum. */
function largest(all: readonly Tables[], glyphs: number): Buffer {
  const maxima = Buffer.from(table(all[0] ?? new Map(), 'maxp'));
  for (const tables of all)
    for (let at = 6; at + 2 <= maxima.length; at += 2)
      maxima.writeUInt16BE(Math.max(maxima.readUInt16BE(at), table(tables, 'maxp').readUInt16BE(at)), at);
  maxima.writeUInt16BE(glyphs, 4);
  return maxima;
}

function changed(original: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(original);
  copy.writeUInt16BE(value, at);
  return copy;
}
