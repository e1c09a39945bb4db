import { servedDomainName, type ServedPlace } from '#lib/contracts';
import type { ConnectedDomain } from '#lib/transport';
import type { WorkerConnection } from './worker-connection.js';

/** Workers and programs of a domain at one gateway that are told by name. */
const [mostWorkers, mostPrograms] = [50, 50];

export interface ConnectedWorker {
  readonly connection: Pick<WorkerConnection, 'id' | 'credentialId' | 'size' | 'concurrency' | 'running'>;
  readonly place: ServedPlace;
  readonly name: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** What it serves, as `name@version`. */
  readonly serves: ReadonlySet<string>;
}

/** What a gateway says of the workers that are connected to it and serve something. */
export function connectedDomains(workers: Iterable<ConnectedWorker>): readonly ConnectedDomain[] {
  const byQueue = Map.groupBy(workers, ({ place }) => servedDomainName(place));
  return [...byQueue].flatMap(([queue, all]) => {
    const serving = all.filter(({ serves }) => serves.size > 0);
    const [first] = serving;
    if (!first) return [];
    const { tenant, domain } = first.place;
    const taking = serving.filter(({ connection }) => connection.size > 0);
    const programs = programsOf(serving);
    return [
      {
        queue,
        tenant,
        domain,
        tools: [...new Set(taking.flatMap(({ serves }) => [...serves]))],
        programs: programs.slice(0, mostPrograms),
        isCut: programs.length > mostPrograms,
        workers: serving.slice(0, mostWorkers).map(shownOf),
        connected: serving.length,
      },
    ];
  });
}

function programsOf(workers: readonly ConnectedWorker[]): ConnectedDomain['programs'] {
  const programs = Map.groupBy(workers, ({ connection, name, serves }) =>
    JSON.stringify([connection.credentialId, name, connection.size === 0, [...serves].toSorted()]),
  );
  return [...programs.values()].flatMap((some) => {
    const [first] = some;
    if (!first) return [];
    const { connection, name, serves } = first;
    const since = Math.max(...some.map((worker) => Date.parse(worker.since)));
    return [{ key: connection.credentialId, name, tools: [...serves], isLeaving: connection.size === 0, since }];
  });
}

function shownOf({ connection, name, since, serves }: ConnectedWorker): ConnectedDomain['workers'][number] {
  const { id, credentialId: key, concurrency, running } = connection;
  return { id, name, key, since, concurrency, running, tools: serves.size };
}
