// `npm run world`: tries the product on servers, clients and documents of others, and tells what held.
import { CommandError, formatSeconds, print, runScript } from '#lib/command-line';
import { allRows } from './all-rows.js';
import { isMeant, parseOptions, usage, type WorldOptions } from './options.js';
import { startPlace } from './start-place.js';
import { lineOf, report } from './report.js';
import { runRows } from './run.js';
import { writeTable } from './table.js';

await runScript(async () => {
  const options = parseOptions(process.argv.slice(2));
  return options.table ? writeTable() : tryRows(options);
}, usage);

async function tryRows(options: WorldOptions): Promise<number> {
  const started = performance.now();
  const rows = allRows.filter((row) => isMeant(row, options));
  if (rows.length === 0) throw new CommandError(`there is no row ${options.only.join(', ')}\n${usage}`);
  await using place = await startPlace(rows);
  print(`${rows.length} rows; the system was ready after ${formatSeconds(performance.now() - started)}`);
  const results = await runRows(rows, place, (result) => print(lineOf(result)));
  print(report(results).join('\n'));
  print(formatSeconds(performance.now() - started));
  return results.every(({ fault }) => fault === null) ? 0 : 1;
}
