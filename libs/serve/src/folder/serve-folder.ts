import { serveGuarded, type ServeOptions, type ServedWorker } from '../serve.js';
import { ConnectionRefused } from '../connection-refused.js';
import type { AnnouncedTool, WorkerEvent } from '../worker-event.js';
import { loadTools, ownDomain, type Fault, type FolderTool } from './load-tools.js';
import { placeIn, type Place } from './place.js';

/** What happens to the tools of a folder. */
export type FolderEvent =
  /** A file or a tool that is not served, and why. */
  | ({ readonly kind: 'fault' } & Fault)
  /** A tool that is served, and what makes it hard to use. */
  | ({ readonly kind: 'warning' } & Fault)
  /** The gateway lets nobody in with this key, or there is none at this address. Nothing of the domain is served, and no file is to blame. */
  | { readonly kind: 'refused'; readonly domain: string; readonly message: string }
  | (WorkerEvent & { readonly domain: string });

export interface FolderOptions extends Pick<ServeOptions, 'url' | 'key' | 'concurrency' | 'name' | 'stopsOnSignal' | 'mostBusyMs'> {
  readonly onEvent: (event: FolderEvent) => void;
}

export interface ServedFolder {
  /** Takes no more calls, ends those that run, and leaves. */
  readonly stop: () => Promise<void>;
  /** Resolves when nothing is served any more. */
  readonly stopped: Promise<void>;
  /** Resolves when the gateway has said of each domain which of its tools may be called, or that it may not be served. As `name@version`. */
  readonly ready: Promise<readonly string[]>;
}

/**
 * Serves the tools that the files of a folder export, each in the domain of its contract (`own-sales` is `sales`). What is wrong with one is
 * told with its file and line, and does not hold up the others. Throws where there is no such folder.
 */
export async function serveFolder(folder: string, { onEvent, ...options }: FolderOptions): Promise<ServedFolder> {
  const { tools, faults } = await loadTools(folder);
  for (const fault of faults) onEvent({ kind: 'fault', ...fault });
  const domainOf = ({ tool }: FolderTool): string => ownDomain(tool.contract.domain) ?? '';
  const workers = [...new Set(tools.map(domainOf))].map((domain) =>
    serveDomain(domain, { folder, members: tools.filter((tool) => domainOf(tool) === domain), onEvent, ...options }),
  );
  return {
    ready: Promise.all(workers.map(async ({ ready }) => ready)).then((served) => served.flat()),
    stop: async () => void (await Promise.allSettled(workers.map(async ({ worker }) => worker.stop()))),
    stopped: Promise.allSettled(workers.map(async ({ worker }) => worker.stopped)).then(() => undefined),
  };
}

interface DomainOptions extends FolderOptions {
  readonly members: readonly FolderTool[];
  readonly folder: string;
}

function unknownPlace(folder: string): Place {
  return { file: folder, line: 1 };
}

function serveDomain(
  domain: string,
  { members, folder, onEvent, ...options }: DomainOptions,
): { readonly worker: ServedWorker; readonly ready: Promise<readonly string[]> } {
  let onReady: (served: readonly string[]) => void = () => undefined;
  const ready = new Promise<readonly string[]>((resolve) => (onReady = resolve));
  const tell = (kind: 'fault' | 'warning', place: Place, message: string): void =>
    onEvent({ kind, file: place.file, line: place.line, message });
  const worker = serveGuarded({
    ...options,
    domain,
    tools: members.map(({ tool }) => tool),
    onEvent: (event) => {
      if (event.kind === 'connected') {
        for (const one of event.tools) review(one);
        if (!event.tools.some(({ state }) => state === 'approved')) onReady([]);
      }
      if (event.kind === 'serving') onReady(event.tools);
      if (event.kind === 'stray')
        tell('fault', placeIn(event.cause.stack ?? '') ?? placeOf(event), `${event.tool}: ${event.cause.message}`);
      if (event.kind === 'unsent') tell('fault', placeOf(event), `${event.tool}: ${event.message}`);
      onEvent({ ...event, domain });
    },
    onStray: (error) => tell('fault', placeIn(error.stack ?? '') ?? unknownPlace(folder), error.message),
  });
  function placeOf({ tool }: { readonly tool: string }): Place {
    return members.find(({ tool: { contract } }) => contract.name === tool) ?? unknownPlace(folder);
  }

  function review({ name, version, state, reason, warnings }: AnnouncedTool): void {
    const place = members.find(({ tool: { contract } }) => contract.name === name && contract.version === version);
    if (!place) return;
    if (state === 'refused') tell('fault', place, reason ?? `${name} ${version} is refused`);
    if (state === 'pending') tell('warning', place, `${name} ${version} waits for an administrator to approve it`);
    for (const warning of warnings) tell('warning', place, warning);
  }
  worker.stopped.catch((error: unknown) => {
    if (error instanceof ConnectionRefused && error.isOfContracts)
      for (const [index, place] of members.entries()) tell('fault', place, error.reasonOf(index));
    else onEvent({ kind: 'refused', domain, message: error instanceof ConnectionRefused ? error.reason : String(error) });
    onReady([]);
  });
  return { worker, ready };
}
