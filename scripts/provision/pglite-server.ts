// A Postgres for development, as a process of its own: PGlite with pgvector and pg_trgm behind a port.
// Arguments: folder (or memory://), port.
import { createDatabase, openDatabase } from './new-database.js';
import { tablesToVacuum, vacuum, vacuumEveryMs } from './upkeep.js';
import { WireMultiplexer } from './wire-multiplexer.js';

/** Single-user Postgres never makes a checkpoint by itself: its log, and the time of a recovery, would grow without limit. */
const checkpointEveryMs = 5 * 60_000;

// Registered first: the parent may end while the database opens.
let multiplexer: WireMultiplexer | undefined;
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => void stop(event));

const [dir = 'memory://', port = '5490'] = process.argv.slice(2);
if (!dir.startsWith('memory:')) await createDatabase(dir);
multiplexer = new WireMultiplexer(await openDatabase(dir));
await multiplexer.listen(Number(port), '127.0.0.1');
log(`ready on port ${port}`);
setInterval(() => void multiplexer?.runExclusively((db) => db.exec('CHECKPOINT')), checkpointEveryMs).unref();
setInterval(() => void vacuumTables(), vacuumEveryMs).unref();

/** One table after the other: clients have their turn in between. */
async function vacuumTables(): Promise<void> {
  const tables = await multiplexer?.runExclusively(tablesToVacuum);
  for (const table of tables ?? []) {
    // It may be gone by now.
    const vacuumed = multiplexer?.runExclusively((db) => vacuum(db, table));
    await vacuumed?.catch((error: unknown) => log(`${table} was not vacuumed: ${String(error)}`));
  }
}

async function stop(cause: string): Promise<void> {
  log(`stopping: ${cause}`);
  await multiplexer?.close();
  process.exit(0);
}

function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
