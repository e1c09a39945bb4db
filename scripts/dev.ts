// `npm run dev`: as `npm start`, and after a change of the sources a new build and new apps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { startUntilStopped } from './start-until-stopped.js';
import { print, printError, root, runScript } from '#lib/command-line';

const settleMs = 150;

await runScript(() =>
  startUntilStopped((local) => {
    let timer: NodeJS.Timeout | undefined;
    let last = Promise.resolve();
    for (const folder of ['apps', 'libs', 'prisma/schema'].map((name) => join(root, name)).filter(existsSync)) {
      watch(folder, { recursive: true }, (_event, file) => {
        if (!file || file.includes('generated') || file.endsWith('.test.ts')) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          // One after the other: a change during a rebuild gets a rebuild of its own.
          last = last.then(() => rebuild(() => local.restartApps())).catch((error: unknown) => printError(String(error)));
        }, settleMs);
      });
    }
    print('Watching apps, libs and prisma/schema.');
  }),
);

async function rebuild(then: () => Promise<void>): Promise<void> {
  const build = spawn(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root, stdio: 'inherit' });
  const [code] = await once(build, 'exit');
  if (code !== 0) return;
  await then();
  print('The apps run the new build.');
}
