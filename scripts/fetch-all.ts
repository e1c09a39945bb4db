// `npm run tools:fetch-all`: every item of a tool that answers in pages, one JSON object a line (TU-96).
import { parseArgs } from 'node:util';
import { CommandError, runScript, settingOf } from '#lib/command-line';
import { fetchAllPages } from './fetch-all/fetch-all-pages.js';

const help = `Fetches all pages of a tool and prints its items, one JSON object a line.

  npm run -s tools:fetch-all -- <tool> '<parameters as JSON>' [--max-items 1000]

The gateway and the key are INVOQ_URL and INVOQ_API_KEY, else those in .data/dev.env that npm start wrote.
`;

await runScript(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'max-items': { type: 'string' } },
  });
  const [tool, json = '{}'] = positionals;
  if (!tool) {
    process.stdout.write(help);
    return 2;
  }
  const [url, key] = [settingOf('INVOQ_URL'), settingOf('INVOQ_API_KEY')];
  if (!url || !key) throw new CommandError('INVOQ_URL and INVOQ_API_KEY are not known. Run `npm start` first, or set them.');
  const maxItems = values['max-items'] === undefined ? undefined : Number(values['max-items']);
  const items = await fetchAllPages({ url, key, tool, parameters: parametersIn(json), ...(maxItems !== undefined && { maxItems }) });
  // Waited for: a pipe takes it in parts.
  await new Promise((written) => process.stdout.write(items.map((item) => `${JSON.stringify(item)}\n`).join(''), written));
  return 0;
}, help);

function parametersIn(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new CommandError(`The parameters must be a JSON object, not: ${json}`);
}
