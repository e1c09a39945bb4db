// Whether something has become dearer than the committed figures say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { print, root } from '#lib/command-line';
import { compare } from './compare.js';

const figuresShape = z.record(z.string(), z.object({ cost: z.number().positive(), tolerance: z.number().positive() }));

interface Guarded {
  /** With the committed figures, from the root. */
  readonly figuresFile: string;
  /** Costs by their names; null where nothing could be measured. */
  readonly measure: () => Promise<Readonly<Record<string, number>> | null>;
  /** What shows more of what has become dear. */
  readonly hint: string;
}

/**
 * What is too high in one measurement is measured once more: on a machine that does something else meanwhile, times differ by a third.
 * @returns the exit code: 1 when something costs more than its tolerance allows in both
 */
export async function guard(guarded: Guarded): Promise<number> {
  const first = await tooHigh(guarded);
  if (first === null) return 1;
  if (first.length === 0) return 0;
  print(`\nToo high: ${first.join(', ')}. Measured once more:`);
  const second = await tooHigh(guarded);
  if (second === null) return 1;
  const dearer = first.filter((name) => second.includes(name));
  if (dearer.length === 0) return 0;
  print(`\nTOO HIGH: ${dearer.join(', ')}. ${guarded.hint} If it has to cost so much, change ${guarded.figuresFile}.`);
  return 1;
}

async function tooHigh({ figuresFile, measure }: Guarded): Promise<readonly string[] | null> {
  const committed = figuresShape.parse(JSON.parse(readFileSync(join(root, figuresFile), 'utf8')));
  const costs = await measure();
  if (costs === null) return null;
  const { lines, tooHigh: names } = compare(committed, costs);
  for (const line of lines) print(line);
  return names;
}
