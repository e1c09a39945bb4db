import { setTimeout as sleep } from 'node:timers/promises';
import { toServedTool } from '#lib/contracts';
import type { Tool } from './own-contract.js';
import { guardProcess } from './guard/guard-process.js';
import { ConnectionRefused } from './connection-refused.js';
import { Session } from './session.js';
import type { WorkerEvent } from './worker-event.js';

const firstDelayMs = 200;
const longestDelayMs = 10_000;

export interface ServeOptions {
  /** What `tool` and `handle` made. */
  readonly tools: readonly Tool[];
  /** Of the gateway. */
  readonly url: string;
  /** An API key with the scope `tools:serve`. */
  readonly key: string;
  /** The domain that these tools make up. */
  readonly domain: string;
  /** Attempts at the same time, 1–256. Default 8. */
  readonly concurrency?: number;
  /** For people who look at the workers. */
  readonly name?: string;
  /** Gets what happens to the worker. Default: prints it. */
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Whether SIGTERM and SIGINT drain the worker. Default true. */
  readonly stopsOnSignal?: boolean;
  /**
   * How long a tool may keep the process from all others, as by a loop that does not wait, in ms. Then its attempt fails, those of others are
   * given back, and the process ends with a line that names the tool: run it where it is started again. 0: as long as it likes. Default 10,000.
   */
  readonly mostBusyMs?: number;
}

/** What `serveFolder` adds for itself. */
export interface GuardedOptions extends ServeOptions {
  /** What no attempt is to blame for, such as a timer of a module. */
  readonly onStray?: (error: Error) => void;
}

/** A worker that serves. */
export interface ServedWorker {
  /** Takes no more calls, ends those that run, and leaves. Rejects with what ended it, such as a key that may not serve. */
  readonly stop: () => Promise<void>;
  /** Resolves when it has stopped. Rejects with ConnectionRefused when no gateway will ever let it in. */
  readonly stopped: Promise<void>;
}

/**
 * Serves tools through a gateway of Invoq. It connects out, so it works behind NAT, and connects again whenever the connection ends. Throws for
 * contracts that cannot be announced.
 */
export function serve(options: ServeOptions): ServedWorker {
  return serveGuarded(options);
}

export function serveGuarded(options: GuardedOptions): ServedWorker {
  const { tools, domain, concurrency = 8, name, onEvent = printed, stopsOnSignal = true, mostBusyMs = 10_000, onStray } = options;
  const unnamed = tools.find(({ contract }) => contract.name === '');
  if (unnamed) throw new TypeError(`A tool needs a name where no file names it: '${unnamed.contract.description.slice(0, 80)}'`);
  const contracts = tools.map(({ contract }) => toServedTool(contract));
  const handlers = new Map(tools.map((handler) => [`${handler.contract.name}@${handler.contract.version}`, handler]));
  const announcement = JSON.stringify({ protocol: 1, domain, concurrency, tools: contracts, ...(name !== undefined && { name }) });
  const url = options.url.replace(/\/+$/, '');
  const stopping = new AbortController();
  const sessions = new Set<Session>();
  const ends: Promise<void>[] = [];

  /** Connects until it is let in, and again when that connection ends. */
  const keepConnected = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      const session = new Session({ url, key: options.key, announcement, concurrency, handlers, onEvent });
      sessions.add(session);
      let isReplaced = false;
      let error: unknown;
      try {
        const onDrain = () => {
          isReplaced = true;
          connect();
        };
        await session.run(() => (failures = 0), onDrain);
      } catch (caught) {
        if (caught instanceof ConnectionRefused && !caught.retryable) throw caught;
        error = caught;
      } finally {
        sessions.delete(session);
      }
      if (isReplaced || stopping.signal.aborted) return;
      failures += 1;
      const againInMs = Math.round(Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2));
      onEvent({ kind: 'disconnected', ...(error !== undefined && { error }), againInMs });
      await sleep(againInMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  function connect(): void {
    const end = keepConnected();
    // It may be refused while `stopped`, which tells why, still waits for an older connection.
    end.catch(() => undefined);
    ends.push(end);
  }

  const stopped = (async () => {
    connect();
    for (let end = ends.shift(); end; end = ends.shift()) await end;
  })();
  const release = guardProcess({ onStray, mostBusyMs });
  stopped.finally(release).catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([...sessions].map(async (session) => session.drain()));
    await stopped;
  };
  if (stopsOnSignal) for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().catch(() => undefined));
  return { stop, stopped };
}

function printed(event: WorkerEvent): void {
  process.stderr.write(
    `${JSON.stringify(event, (_key, value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value))}\n`,
  );
}
