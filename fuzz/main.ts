// `npm run fuzz`: hostile requests from a seed over every door of the product, and hostile answers of its upstreams.
import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenForStop, print, runScript } from '#lib/command-line';
import type { Violation } from './judge/violation.js';
import { parseOptions, usage } from './options.js';
import { faultsOfTheWhole, report } from './report.js';
import { run } from './run.js';

await runScript(async () => {
  const options = parseOptions(process.argv.slice(2));
  print(`Fuzz with seed ${options.seed}, from case ${options.from}`);
  const stopping = new AbortController();
  listenForStop({ onStop: () => stopping.abort(), onSecondStop: () => process.exit(130) });
  const file = join(mkdtempSync(join(tmpdir(), 'invoq-fuzz-')), 'violations.jsonl');
  const keep = (violation: Violation): void => appendFileSync(file, `${JSON.stringify(violation)}\n`);
  const result = await run(options, { stop: stopping.signal, keep });
  const violations = [...result.violations, ...faultsOfTheWhole(result)];
  print(`\n${report(result, violations).join('\n')}`);
  const { seed } = options;
  if (violations.length > 0) print(`Each with its request: ${file}. One alone: npm run fuzz -- --seed ${seed} --only <case>`);
  print(`To go on: npm run fuzz -- --seed ${seed} --from ${result.next}`);
  return violations.length === 0 ? 0 : 1;
}, usage);
