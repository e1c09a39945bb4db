import { isJsonObject } from '#lib/contracts';
/**
 * An answer without what no store takes and no program should meet: NUL, half surrogate pairs, and names that reach a prototype. All else
 * stays. A stranger's answer is not refused for it: its call has had its effect.
 * @returns the value, and what was changed, for people; empty when nothing was
 */
export function cleanAnswer(answer: unknown): { readonly value: unknown; readonly changes: readonly string[] } {
  const changes = new Set<string>();
  const value: unknown = JSON.parse(JSON.stringify(answer), (_, part: unknown) => cleanPart(part, changes));
  return { value, changes: [...changes] };
}

function cleanPart(part: unknown, changes: Set<string>): unknown {
  if (typeof part === 'string') return cleanText(part, changes);
  if (!isJsonObject(part)) return part;
  const entries = Object.entries(part);
  const kept = entries.filter(([name, item]) => !reachesPrototype(name, item));
  if (kept.length < entries.length) changes.add('a name that reaches a prototype was left out');
  const cleaned = kept.map(([name, item]): [string, unknown] => [cleanText(name, changes), item]);
  return kept.length < entries.length || cleaned.some(([name], index) => name !== kept[index]?.[0]) ? Object.fromEntries(cleaned) : part;
}

function cleanText(text: string, changes: Set<string>): string {
  const cleaned = text.replaceAll('\0', '').toWellFormed();
  if (cleaned !== text) changes.add('characters that are no text (NUL, half a surrogate pair) were replaced');
  return cleaned;
}

function reachesPrototype(name: string, item: unknown): boolean {
  if (name === '__proto__') return true;
  return name === 'constructor' && typeof item === 'object' && item !== null && Object.hasOwn(item, 'prototype');
}
