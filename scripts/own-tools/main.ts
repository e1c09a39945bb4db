// Serves the tools of a user's folder through a gateway: a process of its own, which a newer one replaces after a change.
// Argument: the folder. The present folder is the user's project, whose own @invoq/worker runs.
import { createRequire, registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandError, describeError, print, printError } from '#lib/command-line';
import type * as OwnWorker from '#lib/serve';
import type { ToolsMessage } from './tools-message.js';

const [folder = ''] = process.argv.slice(2);
const { INVOQ_URL: url = '', INVOQ_SERVE_KEY: key = '' } = process.env;

try {
  const { serveFolder } = await ownWorker();
  const files = new Set<string>();
  const hooks = registerHooks({
    load(from, context, next) {
      if (from.startsWith('file:') && !from.includes('/node_modules/')) files.add(fileURLToPath(from));
      return next(from, context);
    },
  });
  const served = await serveFolder(folder, { url, key, name: 'invoq dev', stopsOnSignal: false, onEvent: tell });
  hooks.deregister();
  // The second: the parent is gone, however it ended.
  for (const end of ['SIGTERM', 'disconnect']) process.once(end, () => void served.stop().then(() => process.exit()));
  say({ kind: 'loaded' });
  say({ kind: 'ready', files: [...files], served: (await served.ready).map((tool) => tool.replace(/@.*/, '')) });
} catch (error) {
  printError(describeError(error));
  process.exit(1);
}

/** Tools and what runs them must be of one copy of the package. Throws CommandError where the project has none. */
async function ownWorker(): Promise<typeof OwnWorker> {
  const name = '@invoq/worker';
  try {
    const worker: typeof OwnWorker = await import(pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(name)).href);
    if (typeof worker.serveFolder === 'function') return worker;
  } catch {
    throw new CommandError(`${name} is not installed here, so ${shown(folder)} is not served. Install it: npm install ${name} zod`);
  }
  throw new CommandError(`${name} is older than invoq, so ${shown(folder)} is not served. Install the same version of both`);
}

function tell(event: OwnWorker.FolderEvent): void {
  switch (event.kind) {
    case 'fault':
      return printError(`✗ ${shown(event.file)}:${event.line}: ${event.message}`);
    case 'warning':
      return print(`! ${shown(event.file)}:${event.line}: ${event.message}`);
    case 'refused':
      return printError(`✗ The tools of ${event.domain} are not served: ${event.message}`);
    case 'disconnected': {
      const why = event.error instanceof Error ? ` (${event.error.message})` : '';
      return printError(`The tools of ${event.domain} have no connection${why}; again in ${event.againInMs} ms`);
    }
    // The gateway's log has failures with their attempt, those of tools in other languages included.
    case 'connected':
    case 'serving':
    case 'failed':
    // Told as the fault of a file.
    case 'unsent':
    case 'stray':
  }
}

function shown(file: string): string {
  return relative(process.cwd(), file) || file;
}

function say(message: ToolsMessage): void {
  process.send?.(message);
}
