// `npm run profiles:import`: loads health profiles from NDJSON or CSV, all or none. `--help` says how; the promise is kept in
// profiles-import/import-file.ts.
import { Client } from 'pg';

import { databaseUrl, listenForStop, loadDotEnv, print, printError, UsageError } from '#lib/command-line';
import { importFile, type ImportReport } from './profiles-import/import-file.js';
import { help, type ImportOptions, readOptions } from './profiles-import/options.js';
import { formatBytes, formatCount, ProgressBar } from './profiles-import/progress-bar.js';

const shownRejections = 20;
const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    printError(`error: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }),
);

async function main(args: readonly string[]): Promise<number> {
  loadDotEnv();
  const options = readOptions(args, process.env['INIT_CWD'] || process.cwd());
  if (options === 'help') {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const stopping = new AbortController();
  let lost: Error | undefined;
  const client = await connect(databaseUrl(), (error) => {
    lost = error;
    stopping.abort(error);
  });
  const bar = new ProgressBar(process.stderr, options.fileBytes);
  listenForStop({
    onStop: () => {
      bar.print('Stopping; nothing will be loaded.');
      stopping.abort();
    },
    onSecondStop: () => process.exit(exitCodes.interrupted),
  });
  const startedAt = performance.now();
  try {
    const report = await importFile({ options, client, signal: stopping.signal, observer: observe(options, bar) });
    bar.stop();
    print(summary(options, report, (performance.now() - startedAt) / 1_000));
    return report.rejected > 0 ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    bar.stop();
    if (lost) throw new Error(`the database connection was lost (${lost.message}). Run the import again.`, { cause: error });
    if (!stopping.signal.aborted) throw explained(error);
    print(`Interrupted: nothing was loaded from ${options.name}.`);
    return exitCodes.interrupted;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function observe(options: ImportOptions, bar: ProgressBar): Parameters<typeof importFile>[0]['observer'] {
  let rejected = 0;
  return {
    onProgress: (progress) => bar.show(progress),
    onRejected: (line, reasons) => {
      rejected += 1;
      if (rejected <= shownRejections) bar.print(`${options.name}:${line} ${reasons.join('; ')}`);
      else if (rejected === shownRejections + 1) bar.print('More rows are bad; the file of rejected rows will have them all.');
    },
  };
}

async function connect(url: string, onLost: (error: Error) => void): Promise<Client> {
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
    throw new Error(`cannot reach the database at ${client.host}:${client.port} (${reason}). Is it running?`, { cause: error });
  }
}

function explained(error: unknown): unknown {
  const undefinedTable = '42P01';
  if ((error as { code?: unknown }).code !== undefinedTable) return error;
  return new Error('the database has no table profile. Run `npm start` once: it applies the migrations.', { cause: error });
}

function summary(options: ImportOptions, report: ImportReport, seconds: number): string {
  const { rows, rejected, rejectedPath, difference, loaded } = report;
  const read = `${options.name} (${formatBytes(options.fileBytes)}, ${formatCount(rows)} rows, ${formatCount(rejected)} rejected)`;
  const after = rejected > 0 ? `\nThe rejected rows are in ${rejectedPath}` : '';
  const time = `${seconds.toFixed(1)} s`;
  if (!difference) {
    return `Nothing was loaded from ${read} in ${time}. Correct the rejected rows, or load the others with --skip-bad.${after}`;
  }
  const { added, changed, unchanged } = difference;
  const effect = `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged`;
  const start = loaded ? 'Loaded' : 'Dry run, nothing was loaded:';
  return `${start} ${read} into tenant ${options.tenant} in ${time}: ${effect}.${after}`;
}
