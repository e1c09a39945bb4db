// `npm run format`: writes what is derived, formats everything and repairs what the linter can.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runWithoutArguments } from '#lib/command-line';
import { workerLimits } from '#lib/contracts';
import { writeToolLists } from './derived/tool-lists.js';
import { writeWorkerRows } from './derived/worker-rows.js';
import { limitsDocument, limitsFile } from './docs/limits.js';

const help = `Writes what is derived, formats everything and repairs what the linter can.

  npm run format
`;

await runWithoutArguments(help, async () => {
  writeToolLists(root);
  writeWorkerRows(root);
  writeFileSync(join(root, 'clients/python/src/invoq/limits.json'), `${JSON.stringify(workerLimits, null, 2)}\n`);
  writeFileSync(join(root, limitsFile), limitsDocument());
  const codes = [
    ['node_modules/oxfmt/bin/oxfmt', '.'],
    ['node_modules/oxlint/bin/oxlint', '--type-aware', '--fix'],
  ].map((args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
  return Math.max(...codes);
});
