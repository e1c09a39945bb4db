import { Client } from 'pg';
import { callerFolder, CommandError, databaseUrl, exitCodes, formatSeconds, print } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { ProgressBar } from '../progress-bar.js';
import { stoppable } from '../stoppable.js';
import { ProfileCalls } from './calls.js';
import type { Destination } from './destination.js';
import { formatBytes, formatCount } from './format-count.js';
import { importFile, type ImportObserver, type ImportProgress, type ImportReport } from './import-file.js';
import { readOptions, type ImportOptions } from './options.js';
import { Staging } from './staging.js';

const shownRejections = 20;

export const importProfiles = defineCommand({
  positionals: ['<file>'],
  options: {
    tenant: { type: 'string', value: '<name>', help: 'for operators: into the database, of this tenant; without it by calls, of your key' },
    'dry-run': { type: 'boolean', help: 'do everything but the last step, and print what would change' },
    'skip-bad': { type: 'boolean', help: 'load the good rows although some are bad' },
  },
  notes: `The file ends in .ndjson, .jsonl or .csv. Fields of a row: user_id, age, gender, height_cm, weight_kg, activity_level,
health_goals, medical_conditions, dietary_restrictions and, if known, last_updated (ISO 8601 with an offset; else the time of the
import). NDJSON has one object a line. CSV has a header line; its lists are separated by ";" within the cell.

If any row is bad, nothing is loaded unless --skip-bad is given; of rows with the same user_id the later ones are bad. Bad rows are
reported by line and kept in <file>.rejected.ndjson. Running it again is safe: a known user is updated, an equal row is left alone.

Rows are loaded by calls of import_profiles, a thousand at a time, into the tenant of your key, which needs the scopes tenant:admin and
tools:write. An import that you stop leaves those that are loaded.

With --tenant it needs the database (DATABASE_URL, else the one of npm start; INVOQ_DATA_DIR names another folder than .data), and
loads all rows or none: they are gathered in a table of their own and moved into profile in one transaction at the end. On the
database of npm start all other queries wait during the last step, about 1.3 seconds for every 100,000 rows that change.

Exit code: 0 loaded, 1 rows rejected or import failed, 2 wrong usage, 130 interrupted.`,
  run: async ({ values, positionals: [file = ''] }) =>
    runImport(readOptions(file, { tenant: values.tenant, dryRun: values['dry-run'], skipBad: values['skip-bad'] }, callerFolder())),
});

/** Where the rows go, and what it needs. */
interface Way extends AsyncDisposable {
  readonly open: () => Promise<Destination>;
  /** Fires when it can take no more. */
  readonly lost: AbortSignal;
  readonly explained: (error: unknown) => unknown;
  /** What is loaded of an import that was stopped. */
  readonly loaded: () => number;
}

function byCalls(): Way {
  const calls = new ProfileCalls(connect('admin'));
  return {
    open: async () => calls,
    lost: new AbortController().signal,
    explained: (error) => error,
    loaded: () => calls.loaded,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function byDatabase(tenant: string): Promise<Way> {
  const lost = new AbortController();
  const client = await connectToDatabase(databaseUrl(), (error) => lost.abort(error));
  return {
    open: () => Staging.open(client, tenant),
    lost: lost.signal,
    explained: (error) => explained(error, lost.signal),
    loaded: () => 0,
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  };
}

async function runImport(options: ImportOptions): Promise<number> {
  await using way = options.tenant === null ? byCalls() : await byDatabase(options.tenant);
  const bar = new ProgressBar(process.stderr, {
    format: '{bar} {percentage} % | {read} of {size} | {rows} rows, {rejected} rejected | {step}',
    total: options.fileBytes,
    payload: payloadOf({ step: 'reading', bytes: 0, rows: 0, rejected: 0 }, options),
  });
  const startedAt = performance.now();
  try {
    return await stoppable({
      onStop: () => bar.print('Stopping…'),
      async work(stopped) {
        const signal = AbortSignal.any([stopped, way.lost]);
        const report = await importFile({ options, open: way.open, signal, observer: observerOf(options, bar) });
        bar.stop();
        print(summaryOf(options, report, formatSeconds(performance.now() - startedAt)));
        return report.rejected > 0 ? exitCodes.failed : exitCodes.done;
      },
      onStopped: () => print(interrupted(options, way.loaded())),
    });
  } catch (error) {
    throw way.explained(error);
  } finally {
    bar.stop();
  }
}

function observerOf(options: ImportOptions, bar: ProgressBar): ImportObserver {
  let rejected = 0;
  return {
    onProgress: (progress) => bar.update(progress.bytes, payloadOf(progress, options)),
    onRejected: (line, reasons) => {
      rejected += 1;
      if (rejected <= shownRejections) bar.print(`${options.name}:${line} ${reasons.join('; ')}`);
      else if (rejected === shownRejections + 1) bar.print('More rows are bad; the file of rejected rows will have them all.');
    },
  };
}

function payloadOf({ step, bytes, rows, rejected }: ImportProgress, { fileBytes }: ImportOptions) {
  return { read: formatBytes(bytes), size: formatBytes(fileBytes), rows: formatCount(rows), rejected: formatCount(rejected), step };
}

async function connectToDatabase(url: string, onLost: (error: Error) => void): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'profiles-import',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on('error', onLost);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
    throw new CommandError(`The database at ${client.host}:${client.port} cannot be reached (${reason}). Is it running?`, { cause: error });
  }
}

/** An error that the user can do something about, with what to do. */
function explained(error: unknown, lost: AbortSignal): unknown {
  if (lost.aborted) {
    const reason = lost.reason instanceof Error ? lost.reason.message : 'unknown';
    return new CommandError(`The connection to the database was lost (${reason}). Run the import again.`, { cause: error });
  }
  const undefinedTable = '42P01';
  if ((error as { code?: unknown }).code !== undefinedTable) return error;
  return new CommandError('The database has no table profile. Run npm start once: it applies the migrations.', { cause: error });
}

function interrupted({ name }: ImportOptions, loaded: number): string {
  if (loaded === 0) return `Interrupted: nothing was loaded from ${name}.`;
  return `Interrupted: ${formatCount(loaded)} rows of ${name} are loaded. Run the same command again to load the others.`;
}

function summaryOf(options: ImportOptions, report: ImportReport, time: string): string {
  const { rows, rejected, rejectedPath, difference, loaded } = report;
  const read = `${options.name} (${formatBytes(options.fileBytes)}, ${formatCount(rows)} rows, ${formatCount(rejected)} rejected)`;
  const after = rejected > 0 ? `\nThe rejected rows are in ${rejectedPath}` : '';
  if (!difference)
    return `Nothing was loaded from ${read} in ${time}. Correct the rejected rows, or load the others with --skip-bad.${after}`;
  const { added, changed, unchanged } = difference;
  const effect = `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged`;
  const start = loaded ? 'Loaded' : 'Dry run, nothing was loaded:';
  return `${start} ${read} into ${options.tenant === null ? 'the tenant of your key' : `tenant ${options.tenant}`} in ${time}: ${effect}.${after}`;
}
