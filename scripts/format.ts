// `npm run format`: writes what is derived, formats everything and repairs what the linter can.
import { spawnSync } from 'node:child_process';
import { root, runWithoutArguments } from '#lib/command-line';

const help = `Writes what is derived, formats everything and repairs what the linter can.

  npm run format
`;

await runWithoutArguments(help, async () => {
  // Loads the product: a second of a processor, which the help does not need.
  const { writeAll } = await import('./derived/write-all.js');
  writeAll();
  const codes = [
    ['node_modules/oxfmt/bin/oxfmt', '.'],
    ['node_modules/oxlint/bin/oxlint', '--type-aware', '--fix'],
  ].map((args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
  return Math.max(...codes);
});
