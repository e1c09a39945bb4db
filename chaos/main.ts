// `npm run chaos`: faults from a seed, under load, judged by what clients and the upstream saw.
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatSeconds, listenForStop, print, runScript } from '#lib/command-line';
import { check, type Verdict } from './checker/check.js';
import type { History } from './history/history.js';
import type { Lab } from './lab.js';
import { parseOptions, usage } from './options.js';
import { resumeAll } from './repair.js';
import { report } from './report.js';
import { run } from './run.js';

await runScript(async () => {
  const options = parseOptions(process.argv.slice(2));
  const dir = mkdtempSync(join(tmpdir(), 'invoq-chaos-'));
  const started = performance.now();
  print(`Chaos with seed ${options.seed}: ${options.faults.map(({ id }) => id).join(' ')}`);
  const history = await run(options, {
    onStarted: resumeWhenStopped,
    onEnd: (lab) => cpSync(lab.system.logFolder, join(dir, 'logs'), { recursive: true }),
  });
  const verdict = check(history);
  print(`\n${report(history, verdict).join('\n')}`);
  const file = writeHistory(dir, history, verdict);
  print(
    `\n${formatSeconds(performance.now() - started)}. History: ${file}, logs beside it. Again: npm run chaos -- --seed ${options.seed}`,
  );
  return verdict.violations.length === 0 ? 0 : 1;
}, usage);

/** Processes exit when this one is gone. Those that a fault has paused would not, so they are resumed first. */
function resumeWhenStopped(lab: Lab): void {
  const exit = (): never => process.exit(130);
  listenForStop({ onStop: () => void resumeAll(lab).then(exit, exit), onSecondStop: exit });
}

/** One JSON value a line, by kind, so that it can be searched with a line editor. */
function writeHistory(dir: string, history: History, { violations }: Verdict): string {
  const file = join(dir, 'history.jsonl');
  const { seed, calls, audits, upstream, faults, deaths } = history;
  const lines = Object.entries({ call: calls, audit: audits, upstream, fault: faults, death: deaths, violation: violations }).flatMap(
    ([kind, list]) => list.map((entry) => JSON.stringify({ entry: kind, ...entry })),
  );
  writeFileSync(file, `${[JSON.stringify({ entry: 'run', seed }), ...lines].join('\n')}\n`);
  return file;
}
