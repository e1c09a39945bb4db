// `npm run bench:knowledge`: how long a search takes, and what an index costs, by the number of sections.
import { parseArgs } from 'node:util';
import { createEmbedder, embeddingSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { print, runScript } from '#lib/command-line';
import { table } from '../eval/report.js';
import { collectionOf, measure } from './measure.js';
import { overHttp } from './over-http.js';
import { SyntheticTexts } from './synthetic.js';

const help = `Measures search over synthetic texts, half Chinese and half Latin words, of 80 words a section.

  npm run bench:knowledge -- [--sizes 1000,10000] [--database <url>] [--keywords-only] [--http 100]

Without --database: the embedded PGlite. With it: an empty database of a server of yours, which is filled;
with pgvector on it vectors are measured as well. --http asks so many times through a gateway and a worker too, at the last size.
`;
const statementTimeoutMs = 300_000;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '1000,10000' },
      database: { type: 'string' },
      'keywords-only': { type: 'boolean', default: false },
      http: { type: 'string', default: '0' },
    },
  });
  await using own = values.database === undefined ? await startPostgres() : null;
  const url = values.database ?? own?.url ?? '';
  await migrate(url);
  const pool = createPool({ url, poolSize: 2, name: 'bench', statementTimeoutMs });
  const embedder = values['keywords-only'] ? null : createEmbedder(settingsOrExit(embeddingSettings));
  const vectors = embedder && new VectorIndex(pool, embedder);
  try {
    const rows: string[][] = [];
    for (const sections of values.sizes.split(',').map(Number)) {
      const result = await measure(sections, { pool, vectors, texts: new SyntheticTexts(sections) });
      const { importSeconds, p50, p95, keywordP95, vectorP95, megabytes, clientMegabytes } = result;
      rows.push([
        sections.toLocaleString('en'),
        `${p50.toFixed(1)} ms`,
        `${p95.toFixed(1)} ms`,
        `${keywordP95.toFixed(1)} ms`,
        `${vectorP95.toFixed(1)} ms`,
        `${Math.round(sections / importSeconds)}/s`,
        `${megabytes.text.toFixed(0)} MB`,
        `${megabytes.keywords.toFixed(0)} MB`,
        `${megabytes.vectors.toFixed(0)} MB`,
        `${clientMegabytes.toFixed(0)} MB`,
      ]);
      print(`${sections} sections: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, import ${Math.round(sections / importSeconds)}/s`);
    }
    print(
      table(
        ['sections', 'p50', 'p95', 'keyword leg p95', 'vector leg p95', 'import', 'text', 'keyword index', 'vectors', 'client memory'],
        rows,
      ),
    );
    print(`Sizes are those of the whole database after each step. Embeddings: ${embedder?.name ?? 'none'}.`);
    if (Number(values.http) > 0) {
      const last = Number(values.sizes.split(',').at(-1));
      // Where citation_helper looks.
      await pool.query("UPDATE knowledge_collection SET name = 'stripe-onboarding' WHERE name = $1", [collectionOf(last)]);
      const texts = new SyntheticTexts(last);
      const results = await overHttp(
        url,
        {
          search_knowledge: () => ({ query: texts.question(), collection: 'stripe-onboarding' }),
          citation_helper: () => ({ claim: texts.question() }),
        },
        Number(values.http),
      );
      const cells = results.map(({ tool, p50, p95, searchP95, degraded, failed }) => [
        tool,
        ...[p50, p95, searchP95].map((ms) => `${ms.toFixed(1)} ms`),
        String(degraded),
        String(failed),
      ]);
      print(table(['over HTTP', 'p50', 'p95', 'search p95', 'by keywords alone', 'failed'], cells));
    }
    return 0;
  } finally {
    await pool.end();
  }
}, help);
