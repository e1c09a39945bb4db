// `npm run chaos`: faults from a seed, under load, judged by what clients and the upstream saw.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatSeconds, listenForStop, print, runScript } from '#lib/command-line';
import type { Verdict } from './checker/check.js';
import { shownByTests } from './faults/index.js';
import type { History } from './history/history.js';
import type { Lab } from './lab.js';
import { parseOptions, usage } from './options.js';
import { resumeAll } from './repair.js';
import { report } from './report.js';
import { runRounds } from './rounds.js';
import { writeResults } from './write-results.js';

/** The lab that runs now. */
let running: Lab | null = null;

await runScript(async () => {
  const options = parseOptions(process.argv.slice(2));
  const dir = mkdtempSync(join(tmpdir(), 'invoq-chaos-'));
  const started = performance.now();
  print(`Chaos with seed ${options.seed}: ${options.faults.map(({ id }) => id).join(' ')}`);
  const outcome = await runRounds(options, {
    onStarted: resumeWhenStopped,
    onEnd: (name, lab) => cpSync(lab.system.logFolder, join(dir, name, 'logs'), { recursive: true }),
    onHistory: (name, history, verdict) => writeHistory(join(dir, name, 'history.jsonl'), history, verdict),
  });
  const elapsedMs = performance.now() - started;
  print(`\n${report(outcome).join('\n')}`);
  if (options.write) print(`\nWritten: ${writeResults(outcome, { seed: options.seed, elapsedMs, shownByTests })}`);
  const again = `npm run chaos -- ${options.isAll ? '--all ' : ''}--seed ${options.seed}`;
  print(`\n${formatSeconds(elapsedMs)}. Histories and logs: ${dir}. Again: ${again}`);
  return outcome.verdict.violations.length === 0 ? 0 : 1;
}, usage);

/** Processes exit when this one is gone. Those that a fault has paused would not, so they are resumed first. */
function resumeWhenStopped(lab: Lab): void {
  const isFirst = running === null;
  running = lab;
  if (!isFirst) return;
  const exit = (): never => process.exit(130);
  listenForStop({ onStop: () => void resumeAll(running ?? lab).then(exit, exit), onSecondStop: exit });
}

/** One JSON value a line, by kind, so that it can be searched with a line editor. */
function writeHistory(file: string, history: History, { violations }: Verdict): void {
  mkdirSync(dirname(file), { recursive: true });
  const { calls, audits, upstream, faults, deaths } = history;
  const lines = Object.entries({ call: calls, audit: audits, upstream, fault: faults, death: deaths, violation: violations }).flatMap(
    ([kind, list]) => list.map((entry) => JSON.stringify({ entry: kind, ...entry })),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
}
