import type { UpdateMode } from '#lib/contracts';
import { sectionsOf, type Section } from './sections.js';

/** The text after an update in a mode other than Merge (MT-35, C-68). `Append` and `Prepend` put one line break between the texts. */
export function updateText(present: string, given: string, mode: Exclude<UpdateMode, 'Merge'>): string {
  switch (mode) {
    case 'Replace':
      return given;
    case 'Append':
      return present === '' ? given : `${present}\n${given}`;
    case 'Prepend':
      return present === '' ? given : `${given}\n${present}`;
  }
}

/**
 * Merges by heading. A section that the update names is replaced; a section that it does not name is kept, to the byte; a new section
 * goes after the sections of its parent. Text before the first heading replaces the text before the first heading.
 */
export function mergeText(present: string, given: string): string {
  const update = sectionsOf(given);
  const old = sectionsOf(present);
  const preamble = update.sections.length === 0 || update.preamble.trim() !== '' ? update.preamble : old.preamble;
  const merged: Section[] = [...old.sections];
  const placed = new Set<Section>();
  /** The headings of the update that enclose the next section, with the sections that they became. */
  const above: { readonly depth: number; readonly section: Section }[] = [];
  for (const section of update.sections) {
    while ((above.at(-1)?.depth ?? 0) >= section.depth) above.pop();
    const range = rangeBelow(above.at(-1)?.section, merged);
    const at = matchingIndex(section, merged, { ...range, placed });
    const replaced = merged[at];
    const kept: Section = replaced ? { ...replaced, text: withTrailingSpaceOf(replaced.text, section.text) } : section;
    if (replaced) merged[at] = kept;
    else merged.splice(range.end, 0, kept);
    placed.add(kept);
    above.push({ depth: section.depth, section: kept });
  }
  return [preamble, ...merged.map(({ text }) => text)].filter((text) => text !== '').reduce(appendSection, '');
}

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The sections below a heading, at any depth; all of them if there is none. */
function rangeBelow(parent: Section | undefined, merged: readonly Section[]): Range {
  if (!parent) return { start: 0, end: merged.length };
  const start = merged.indexOf(parent) + 1;
  const next = merged.findIndex((one, index) => index >= start && one.depth <= parent.depth);
  return { start, end: next < 0 ? merged.length : next };
}

/** The index of the section with the same heading and depth in a range, preferably below the same headings; −1 for none. */
function matchingIndex(
  section: Section,
  merged: readonly Section[],
  { start, end, placed }: Range & { readonly placed: ReadonlySet<Section> },
): number {
  const isFree = (one: Section, index: number): boolean =>
    index >= start && index < end && !placed.has(one) && one.heading === section.heading && one.depth === section.depth;
  const sameWay = merged.findIndex((one, index) => isFree(one, index) && one.path.join('\n') === section.path.join('\n'));
  return sameWay >= 0 ? sameWay : merged.findIndex(isFree);
}

/** A replaced section keeps the blank lines before the next one. */
function withTrailingSpaceOf(old: string, text: string): string {
  return text.trimEnd() + old.slice(old.trimEnd().length);
}

/** Separates sections that were not neighbours before by an empty line. */
function appendSection(before: string, text: string): string {
  return before === '' || before.endsWith('\n') ? before + text : `${before}\n\n${text}`;
}
