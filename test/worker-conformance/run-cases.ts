import { print } from '#lib/command-line';
import type { Bench } from './bench.js';
import { cases } from './cases.js';

/** Runs the named cases, or all, in their order. The first always runs: it waits for the tools. Gives the ids of those that have failed. */
export async function runCases(bench: Bench, only: readonly string[] = cases.map(({ id }) => id)): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { id, holds, run } of cases.filter((one, index) => index === 0 || only.includes(one.id))) {
    try {
      await run(bench);
      print(`held    ${id}: ${holds}`);
    } catch (error) {
      failed.push(id);
      print(`FAILED  ${id}: ${holds}\n        ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return failed;
}
