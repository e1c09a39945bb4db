// `npm run security`: attacks the product as its callers can, over HTTP, and tells what held.
import { CommandError, formatSeconds, print, runScript } from '#lib/command-line';
import { Random } from '../chaos/random.js';
import { allCases } from './all-cases.js';
import { measureBeside } from './beside/beside.js';
import { isMeant, parseOptions, usage, type SecurityOptions } from './options.js';
import { mutations } from './prove/mutations.js';
import { prove } from './prove/prove.js';
import { report } from './report.js';
import { runCases } from './run.js';
import { writeTable } from './table.js';
import { startWorld } from './world/world.js';

await runScript(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.table) return writeTable();
  if (options.beside) return beside(options);
  return options.prove ? plant(options) : attack(options);
}, usage);

async function attack({ seed, only }: SecurityOptions): Promise<number> {
  const started = performance.now();
  await using world = await startWorld({ random: new Random(seed, 'security') });
  const cases = (await allCases(world)).filter((one) => isMeant(one, only));
  if (cases.length === 0) throw new CommandError(`there is no case ${only.join(', ')}\n${usage}`);
  print(`${cases.length} cases with seed ${seed}; the system was ready after ${formatSeconds(performance.now() - started)}`);
  const results = await runCases(cases, world);
  print(report(results).join('\n'));
  print(`\n${formatSeconds(performance.now() - started)}. Again: npm run security -- --seed ${seed}`);
  return results.every(({ fault }) => fault === null) ? 0 : 1;
}

async function beside({ seed, only }: SecurityOptions): Promise<number> {
  await using world = await startWorld({ random: new Random(seed, 'beside') });
  await measureBeside(world, only);
  return 0;
}

async function plant({ seed, only }: SecurityOptions): Promise<number> {
  const started = performance.now();
  const meant = mutations.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  if (meant.length === 0) throw new CommandError(`there is no planted fault ${only.join(', ')}\n${usage}`);
  const survivors = await prove(meant, seed);
  print(`${meant.length - survivors.length} of ${meant.length} planted faults were found in ${formatSeconds(performance.now() - started)}`);
  return survivors.length === 0 ? 0 : 1;
}
