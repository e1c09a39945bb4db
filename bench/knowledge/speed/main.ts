// `npm run bench:knowledge`: how long a search takes, and what an index costs, by the number of sections.
import { parseArgs } from 'node:util';
import { embedderOf, knowledgeSettings } from '#lib/knowledge';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { runScript, say } from '../../../scripts/say.js';
import { table } from '../eval/report.js';
import { measure } from './measure.js';
import { SyntheticTexts } from './synthetic.js';

const help = `Measures search over synthetic texts, half Chinese and half Latin words, of 80 words a section.

  npm run bench:knowledge -- [--sizes 1000,10000] [--database <url>] [--keywords-only]

Without --database: the embedded PGlite. With it: an empty database of a server of yours, which is filled.
`;
const statementTimeoutMs = 300_000;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '1000,10000' },
      database: { type: 'string' },
      'keywords-only': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  await using own = values.database === undefined ? await startPostgres() : null;
  const url = values.database ?? own?.url ?? '';
  await migrate(url);
  const pool = createPool({ url, poolSize: 2, name: 'bench', statementTimeoutMs });
  const embedder = values['keywords-only'] ? null : embedderOf(settingsOrExit(knowledgeSettings));
  const vectors = embedder && new VectorIndex(pool, embedder);
  try {
    const rows: string[][] = [];
    for (const sections of values.sizes.split(',').map(Number)) {
      const result = await measure(sections, { pool, vectors, texts: new SyntheticTexts(sections) });
      const { importSeconds, p50, p95, keywordP95, megabytes, clientMegabytes } = result;
      rows.push([
        sections.toLocaleString('en'),
        `${p50.toFixed(1)} ms`,
        `${p95.toFixed(1)} ms`,
        `${keywordP95.toFixed(1)} ms`,
        `${Math.round(sections / importSeconds)}/s`,
        `${megabytes.text.toFixed(0)} MB`,
        `${megabytes.keywords.toFixed(0)} MB`,
        `${megabytes.vectors.toFixed(0)} MB`,
        `${clientMegabytes.toFixed(0)} MB`,
      ]);
      say(`${sections} sections: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, import ${Math.round(sections / importSeconds)}/s`);
    }
    say(table(['sections', 'p50', 'p95', 'keyword leg p95', 'import', 'text', 'keyword index', 'vectors', 'client memory'], rows));
    say(`Sizes are those of the whole database after each step. Embeddings: ${embedder?.name ?? 'none'}.`);
    return 0;
  } finally {
    await pool.end();
  }
});
