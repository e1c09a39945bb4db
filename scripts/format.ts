// `npm run format`: formats everything and repairs what the linter can.
import { spawnSync } from 'node:child_process';
import { root, runScript } from '#lib/command-line';

await runScript(async () => {
  const codes = [
    ['node_modules/oxfmt/bin/oxfmt', '.'],
    ['node_modules/oxlint/bin/oxlint', '--type-aware', '--fix'],
  ].map((args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
  return Math.max(...codes);
});
