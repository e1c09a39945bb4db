// `npm run dev`: as `npm start`, and after a change the apps whose code has changed are restarted; pages of the console follow its sources.
import { watch } from 'chokidar';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { formatSeconds, print, printError, root, runScript } from '#lib/command-line';
import { consoleTicket } from './console-ticket.js';
import { AppBundles } from './dev/app-bundles.js';
import { watchFailedAttempts } from './dev/failed-attempts.js';
import { TypeCheck } from './dev/type-check.js';
import { serveConsoleSources } from './dev/console-sources.js';
import type { LocalProduct, LocalRun } from './local-run.js';
import { startUntilStopped } from './start-until-stopped.js';

/** Editors write several files at once, or one twice. */
const settleMs = 50;
const folders = ['apps', 'libs', 'prisma/schema'];

await runScript(() =>
  startUntilStopped({
    layout: 'apart',
    onReady: (local, run) => {
      for (const work of [keepUpToDate(local), reloadConsole(local, run)]) work.catch((error: unknown) => printError(String(error)));
    },
  }),
);

async function reloadConsole(local: LocalProduct, run: LocalRun): Promise<void> {
  const { url, close } = await serveConsoleSources(run.url);
  local.onStop(() => void close());
  print(`The console that follows its sources: ${url}#ticket=${await consoleTicket(run)}`);
}

async function keepUpToDate(local: LocalProduct): Promise<void> {
  const bundles = new AppBundles(local.apps);
  const types = new TypeCheck(local.dataDir.path);
  watchFailedAttempts(
    local.apps.map((app) => local.dataDir.logFile(app)),
    printError,
  );
  local.onStop(() => {
    bundles.close();
    types.stop();
  });
  // The apps run the build of the start, which has the same code.
  await bundles.renew();
  let changedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const changed = new Set<string>();
  const watcher = watch(
    folders.map((folder) => join(root, folder)),
    { ignoreInitial: true, ignored: (path) => /\/generated\/|\/apps\/console\/|\.test\.ts$/.test(path) },
  );
  watcher.on('all', (_event, path) => {
    if (!/\.(ts|prisma)$/.test(path)) return;
    changedAt ||= performance.now();
    changed.add(relative(root, path));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const [files, since] = [[...changed], changedAt];
      changed.clear();
      changedAt = 0;
      // One after the other: a change during a rebuild gets a rebuild of its own.
      last = last
        .then(() => follow(files, since))
        .catch((error: unknown) => printError(error instanceof Error ? error.message : String(error)));
    }, settleMs);
  });
  await once(watcher, 'ready');
  print(`Watching ${folders.join(', ')}.`);
  types.start();

  async function follow(files: readonly string[], since: number): Promise<void> {
    if (files.some((file) => file.startsWith('prisma/')) && !(await generateClient())) return;
    const apps = await bundles.renew();
    if (apps === null) return printError('The apps run the code of before.');
    await local.restart(apps);
    if (apps.length > 0)
      print(
        `${apps.join(', ')} ${apps.length === 1 ? 'runs' : 'run'} the change of ${files.join(', ')}  ${formatSeconds(performance.now() - since)}`,
      );
    types.start();
  }
}

/** The database client of the present schema. What is wrong is printed. */
async function generateClient(): Promise<boolean> {
  const build = spawn(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root, stdio: 'inherit' });
  const [code] = await once(build, 'exit');
  return code === 0;
}
