// `npm run upgrade -- --from <commit>`: an older version is replaced by this one, process by process, and back, under load.
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CommandError, print, runScript, step } from '#lib/command-line';
import { ModelServer } from '#lib/testing';
import { check } from '../checker/check.js';
import { Random } from '../random.js';
import { report } from '../report.js';
import { run } from '../run.js';
import { Replacing } from './replacing.js';
import { present, versionOf } from './version.js';

const usage = `Starts an older version with its own schema, puts load on it, and replaces each process by this tree's: migration, workers, gateways.
Then back again, and up again. What was accepted must end once, and every door must answer.

  npm run upgrade -- --from <commit, branch or tag> [--seed N]

The older version is cloned and built in .data/versions, and stays there.`;

await runScript(async () => {
  const { from, seed = '1' } = parseArgs({ options: { from: { type: 'string' }, seed: { type: 'string' } } }).values;
  if (!from) throw new CommandError(`--from is missing\n${usage}`);
  const older = await step(`Build of ${from}`, async () => versionOf(from));
  await using model = await ModelServer.start();
  const replacing = new Replacing({ old: older, next: present, model });
  const dir = mkdtempSync(join(tmpdir(), 'invoq-upgrade-'));
  const history = await run({
    random: new Random(Number(seed)),
    faults: replacing.faults,
    lab: replacing.lab,
    // Calls that a version without the history has ended are not in it.
    hasHistory: existsSync(join(older.root, 'prisma/migrations/20261123030000_call_history')),
    onStarted: () => undefined,
    onEnd: ({ system }) => cpSync(system.logFolder, dir, { recursive: true }),
  });
  const verdict = check(history);
  print(`\n${report({ verdict, faults: history.faults, skipped: [] }).join('\n')}\n\nLogs: ${dir}`);
  return verdict.violations.length === 0 ? 0 : 1;
}, usage);
