// The user's own tools beside the product: served as their files are, from the moment at which one is saved.
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { callerFolder, formatSeconds, print, printError } from '#lib/command-line';
import { gateway } from '../apps.js';
import { watchFailedAttempts } from '../dev/failed-attempts.js';
import { TypeCheck } from '../dev/type-check.js';
import { watchChanges } from '../dev/watch-changes.js';
import type { LocalProduct, LocalRun } from '../local-run.js';
import { ToolsProcess } from './tools-process.js';

/** A process that ends by itself is started again after a time that doubles, in ms. */
const [firstAgainMs, lastAgainMs] = [500, 30_000];
/** One that has served for so long is no worse than another, in ms. */
const goodAfterMs = 60_000;
const isTest = /\.test\.[cm]?[jt]s$/;

/** Serves the tools of a folder until the product stops. Throws where they cannot be watched. */
export async function serveOwnTools(folder: string, local: LocalProduct, run: LocalRun): Promise<void> {
  const project = callerFolder();
  const shown = (path: string): string => relative(project, path) || '.';
  const types = typeCheckOf(project, local.dataDir.path);
  const attempts = watchFailedAttempts([local.dataDir.logFile(gateway)], printError);
  const stopping = new AbortController();
  let current: ToolsProcess | null = null;
  let [losses, startedAt, renewals] = [0, 0, 0];
  let isShown = false;
  const processes = new Set<ToolsProcess>();
  local.onStop(async () => {
    stopping.abort();
    types?.stop();
    await Promise.all([attempts.close(), watcher.close(), current?.stop()]);
    // One that loops hears of nothing, and nobody would ask for the results of the others.
    for (const one of processes) one.kill();
  });
  const watcher = await watchChanges([folder], {
    isFollowed: (path) => /\.([cm]?[jt]s|json)$/.test(path),
    ignored: (path) => /[\\/](node_modules|\.data|\.git)([\\/]|$)/.test(path),
    follow: async (paths, since) => {
      losses = 0;
      if (!paths.every((path) => isTest.test(path))) await renew(`the change of ${paths.map(shown).join(', ')}`, since);
      types?.start();
    },
  });
  await renew(`${shown(folder)}/`, performance.now());
  types?.start();

  async function renew(what: string, since: number): Promise<void> {
    if (stopping.signal.aborted) return;
    renewals += 1;
    const next = new ToolsProcess({ project, folder, url: run.url, key: run.keys.serve }, onLost);
    processes.add(next);
    void next.exited.then(() => processes.delete(next));
    const ready = await next.ready;
    if (stopping.signal.aborted) return next.kill();
    if (!ready) {
      const { fault } = next;
      next.kill();
      printError(`✗ ${what} cannot be served: ${fault}.${current ? ' The tools run as they were.' : ''}`);
      if (!current) void startAgain();
      return;
    }
    watcher.add(ready.files.filter((file) => !file.startsWith(join(folder, sep))));
    await current?.stop();
    // It has ended meanwhile, and is started again.
    if (!processes.has(next)) return;
    [current, startedAt] = [next, performance.now()];
    if (stopping.signal.aborted) return next.kill();
    const tools = ready.served.length > 0 ? `Your tools ${ready.served.toSorted().join(', ')} run` : 'No tool of yours runs after';
    print(`${tools} ${what}  ${formatSeconds(performance.now() - since)}`);
    const [first] = ready.served.toSorted();
    if (first !== undefined && !isShown) print(`\n  npx invoq call ${first} --help      # its parameters, and how it is called\n`);
    isShown ||= first !== undefined;
  }

  /** Whatever ended it: the tools are served again, unless a change of a file does that before. */
  async function startAgain(): Promise<void> {
    const renewal = renewals;
    const againMs = Math.min(lastAgainMs, firstAgainMs * 2 ** losses++);
    printError(`The tools start again in ${formatSeconds(againMs)}, or with the next change`);
    await sleep(againMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (current === null && renewals === renewal) await renew(`${shown(folder)}/`, performance.now());
  }

  function onLost(why: string): void {
    current = null;
    if (performance.now() - startedAt > goodAfterMs) losses = 0;
    printError(`The process of your tools has ended (${why})`);
    void startAgain();
  }
}

/** Undefined for a project without TypeScript. */
function typeCheckOf(project: string, records: string): TypeCheck | undefined {
  const manifest = findPackageJSON('typescript', pathToFileURL(join(project, 'package.json')));
  if (manifest === undefined || !existsSync(join(project, 'tsconfig.json'))) return undefined;
  return new TypeCheck({ project, compiler: join(dirname(manifest), 'bin/tsc'), records });
}
