// `npm run format`: writes what is derived, formats everything and repairs what the linter can.
import { spawnSync } from 'node:child_process';
import { root, runWithoutArguments } from '#lib/command-line';
import { workerLimits } from '#lib/contracts';
import { staleToolLists } from './derived/tool-lists.js';
import { staleWorkerRows } from './derived/worker-rows.js';
import { writeFiles } from './derived/write-files.js';
import { limitsDocument, limitsFile } from './docs/limits.js';

const help = `Writes what is derived, formats everything and repairs what the linter can.

  npm run format
`;

await runWithoutArguments(help, async () => {
  writeFiles(root, staleToolLists(root));
  writeFiles(root, staleWorkerRows(root));
  writeFiles(
    root,
    new Map([
      ['clients/python/src/invoq/limits.json', `${JSON.stringify(workerLimits, null, 2)}\n`],
      [limitsFile, limitsDocument()],
    ]),
  );
  const codes = [
    ['node_modules/oxfmt/bin/oxfmt', '.'],
    ['node_modules/oxlint/bin/oxlint', '--type-aware', '--fix'],
  ].map((args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
  return Math.max(...codes);
});
