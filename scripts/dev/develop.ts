import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { formatSeconds, print, printError, root } from '#lib/command-line';
import { consoleTicket } from '../console-ticket.js';
import type { LocalProduct, LocalRun } from '../local-run.js';
import { startUntilStopped } from '../start-until-stopped.js';
import { AppBundles } from './app-bundles.js';
import { serveConsoleSources } from './console-sources.js';
import { watchFailedAttempts } from './failed-attempts.js';
import { TypeCheck } from './type-check.js';
import { watchChanges } from './watch-changes.js';

const folders = ['apps', 'libs', 'prisma/schema'];

/** Starts the product, and keeps it to its sources until it is stopped. */
export function develop() {
  return startUntilStopped({
    layout: 'apart',
    onReady: (local, run) => {
      for (const work of [keepUpToDate(local), reloadConsole(local, run)]) work.catch((error: unknown) => printError(String(error)));
    },
  });
}

async function reloadConsole(local: LocalProduct, run: LocalRun): Promise<void> {
  const { url, close } = await serveConsoleSources(run.url);
  local.onStop(() => void close());
  print(`The console that follows its sources: ${url}#ticket=${await consoleTicket(run)}`);
}

async function keepUpToDate(local: LocalProduct): Promise<void> {
  const bundles = new AppBundles(local.apps);
  const types = new TypeCheck({ project: root, compiler: 'node_modules/typescript7/bin/tsc', records: local.dataDir.path });
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
  await watchChanges(
    folders.map((folder) => join(root, folder)),
    {
      isFollowed: (path) => /\.(ts|prisma)$/.test(path),
      ignored: (path) => /\/generated\/|\/apps\/console\/|\.test\.ts$/.test(path),
      follow,
    },
  );
  print(`Watching ${folders.join(', ')}.`);
  types.start();

  async function follow(paths: readonly string[], since: number): Promise<void> {
    const files = paths.map((path) => relative(root, path));
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
