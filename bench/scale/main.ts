// `npm run bench:scale`: how the system grows. `--help` says how.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print, runScript, step } from '#lib/command-line';
import { startStores } from '../../scripts/provision/private-stores.js';
import { measurePartitions } from './cluster.js';
import { measureSweep, measureWorkers } from './measurements.js';
import { measureStreams } from './streams.js';
import { measureAccepts } from './waiting.js';

const help = `Measures on private stores and real processes:

  npm run bench:scale -- [--waiting 0,10000,100000] [--workers 1,2,4,8] [--gateways 1,2] [--places 1] [--expired 10000]
                         [--partitions 1,4] [--streams ''] [--seconds 8]

- how long a call takes to be accepted, and a read to be answered, while so many wait: no worker runs; at last Redis restarts with all of them
- calls a second of a tool that waits 50 ms, with so many workers of so many (--places) attempts each, behind so many gateways; many places
  measure the processors, one place the rest
- what a call costs each of the three masters of a cluster, with so many partitions of its domain
- how soon so many calls past their deadline are ended, beside the largest number that waits
- what so many (--streams) open event streams over two gateways cost, and what a killed gateway does to its own; each takes a file or two of ulimit -n

About 3.5 kB of memory for each waiting call. An empty list leaves a part out.
`;

const numbers = z
  .string()
  .transform((text) => text.split(',').filter(Boolean).map(Number))
  .pipe(z.array(z.int().min(0).max(5_000_000)));
const given = z.object({
  waiting: numbers,
  workers: numbers,
  gateways: numbers,
  places: z.coerce.number().int().min(1),
  expired: numbers,
  partitions: numbers,
  streams: numbers,
  seconds: z.coerce.number().min(1),
});

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      waiting: { type: 'string', default: '0,10000,100000' },
      workers: { type: 'string', default: '1,2,4,8' },
      gateways: { type: 'string', default: '1,2' },
      places: { type: 'string', default: '1' },
      expired: { type: 'string', default: '10000' },
      partitions: { type: 'string', default: '1,4' },
      streams: { type: 'string', default: '' },
      seconds: { type: 'string', default: '8' },
    },
  });
  if (values.help) {
    print(help);
    return 0;
  }
  const { waiting, workers, gateways, places, expired, partitions, streams, seconds } = given.parse(values);
  await using owner = new AsyncDisposableStack();
  const stores = owner.use(await step('Private stores', startStores));
  for (const count of gateways)
    for (const size of workers) print(await measureWorkers(stores, { gateways: count, workers: size, places, ms: seconds * 1_000 }));
  if (waiting.length > 0) for (const line of await measureAccepts(stores, waiting)) print(line);
  for (const count of expired) print(await measureSweep(stores, { expired: count, open: Math.max(0, ...waiting) }));
  for (const count of partitions) print(await measurePartitions(stores.databaseUrl, { partitions: count, ms: seconds * 1_000 }));
  for (const count of streams) for (const line of await measureStreams(stores, count)) print(line);
  return 0;
});
