import { callerFolder, databaseUrl, exitCodes, formatSeconds, print, root, UsageError } from '#lib/command-line';
import { everyTenant, importDocuments, sourcesOfFiles, type ImportReport } from '#lib/knowledge';
import { createEmbedder, embeddingSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { defineCommand } from '../command.js';
import { ProgressBar } from '../progress-bar.js';
import { stoppable } from '../stoppable.js';
import { tenantOf } from '../tenant.js';
import { invalidateCachedCitations } from './cached-citations.js';
import { findFiles, type FoundFiles } from './find-files.js';

const statementTimeoutMs = 120_000;

export const importKnowledge = defineCommand({
  positionals: ['<file|folder|pattern>…'],
  options: {
    collection: { type: 'string', value: '<name>', help: 'health, documents or any other: lower-case letters, digits, hyphens; needed' },
    tenant: { type: 'string', value: '<name>', help: 'whose collection it is (default: demo)' },
    shared: { type: 'boolean', help: 'a collection that every tenant sees' },
    prune: { type: 'boolean', help: 'remove documents of the collection that this import does not name' },
  },
  notes: `Formats: Markdown (.md; YAML front matter with title, title_en, domain, type, tags, source_url, repo_path, source, updated is
used), HTML, plain text, PDF with text in it, JSONL (one document a line: id, title, text, url, and the fields of the front matter).
A heading begins a section. A quotation right under a heading may say more about the section:

  > **English title.** Summary in a sentence or two.
  > **Key terms:** term, term, 术语
  > **Source:** organisation, document, year, https://…

Running it again is safe and quick: what is unchanged is not analysed or embedded again, and what has gone from a document is
removed. An interrupted import continues when the same command is run again. Files that cannot be read (a broken PDF, another
encoding than UTF-8, more than 20 MB) are skipped and named. Addresses of private networks are removed.

Settings: DATABASE_URL and REDIS_URL, else those of npm start; EMBEDDING_* as in .env.example.
Exit code: 0 all imported, 1 something skipped or failed, 2 wrong usage, 130 interrupted.`,
  async run({ values, positionals }) {
    const target = targetOf(values);
    return runImport(findFiles(positionals, callerFolder()), target);
  },
});

interface Target {
  readonly collection: string;
  readonly tenant: string;
  readonly prune: boolean;
}

interface TargetOptions {
  readonly collection?: string | undefined;
  readonly tenant?: string | undefined;
  readonly shared?: boolean | undefined;
  readonly prune?: boolean | undefined;
}

/** Throws UsageError. */
export function targetOf({ collection, tenant, shared = false, prune = false }: TargetOptions): Target {
  if (!collection) throw new UsageError('--collection is missing');
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(collection))
    throw new UsageError('--collection must be lower-case letters, digits and hyphens, at most 63');
  if (shared && tenant !== undefined) throw new UsageError('Give --tenant or --shared, not both');
  return { collection, tenant: shared ? everyTenant : tenantOf(tenant), prune };
}

async function runImport({ files, base }: FoundFiles, { collection, tenant, prune }: Target): Promise<number> {
  const embedder = createEmbedder(settingsOrExit(embeddingSettings));
  const pool = createPool({ url: databaseUrl(), poolSize: 2, name: 'knowledge-import', statementTimeoutMs });
  let counts = { documents: 0, sections: 0, skipped: 0 };
  let file = 0;
  const bar = new ProgressBar(process.stderr, {
    format: '{bar} {value} of {total} files | {documents} documents, {sections} sections, {skipped} skipped',
    total: files.length,
    payload: counts,
  });
  const onFile = (number: number): void => {
    file = number;
    bar.update(file, counts);
  };
  const startedAt = performance.now();
  try {
    return await stoppable({
      onStop: () => bar.print('Stopping after this batch…'),
      async work(signal) {
        const report = await importDocuments(sourcesOfFiles(files, { base, repository: root }, onFile), {
          pool,
          vectors: embedder && new VectorIndex(pool, embedder),
          tenantId: tenant,
          collection,
          prune,
          signal,
          onProgress: ({ documents, sections, skipped }) => {
            counts = { documents, sections, skipped };
            bar.update(file, counts);
          },
        });
        bar.stop();
        print(summaryOf(report, { collection, tenant, time: formatSeconds(performance.now() - startedAt) }));
        return report.skipped.length > 0 ? exitCodes.failed : exitCodes.done;
      },
      onStopped: () => print('Interrupted. What was imported stays; run the same command again to continue.'),
    });
  } finally {
    bar.stop();
    // What was stored before a failure stays, so its citations count too.
    const warning = await invalidateCachedCitations();
    if (warning) print(warning);
    await pool.end();
  }
}

interface ImportFacts {
  readonly collection: string;
  readonly tenant: string;
  /** How long it took, such as `1.3 s`. */
  readonly time: string;
}

export function summaryOf(report: ImportReport, { collection, tenant, time }: ImportFacts): string {
  const { added, changed, unchanged, removed, sectionsWritten, sectionsKept, sectionsRemoved, skipped, notes, vectorWarning } = report;
  const owner = tenant === everyTenant ? 'every tenant' : `tenant ${tenant}`;
  const lines = [
    `Collection ${collection} of ${owner}, in ${time}: ${added} documents added, ${changed} changed, ${unchanged} unchanged, ${removed} removed.`,
    `Sections: ${sectionsWritten} written, ${sectionsKept} kept, ${sectionsRemoved} removed.`,
    ...notes.map(({ path, note }) => `  note     ${path}: ${note}`),
    ...skipped.map(({ path, reason }) => `  skipped  ${path}: ${reason}`),
    ...(vectorWarning === undefined ? [] : [`No vectors for now (${vectorWarning}). The worker makes them when the provider is back.`]),
  ];
  return lines.join('\n');
}
