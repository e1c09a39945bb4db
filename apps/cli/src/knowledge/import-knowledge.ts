import { callerFolder, exitCodes, formatSeconds, print, UsageError } from '#lib/command-line';
import { everyTenant } from '#lib/knowledge';
import { defineCommand } from '../command.js';
import { ProgressBar } from '../progress-bar.js';
import { stoppable } from '../stoppable.js';
import { tenantOf } from '../tenant.js';
import { byCalls } from './calls.js';
import { byDatabase } from './database.js';
import { findFiles, type FoundFiles } from './find-files.js';
import type { WayReport } from './import-way.js';

export const importKnowledge = defineCommand({
  positionals: ['<file|folder|pattern>…'],
  options: {
    collection: { type: 'string', value: '<name>', help: 'health, documents or any other: lower-case letters, digits, hyphens; needed' },
    tenant: { type: 'string', value: '<name>', help: 'for operators: into the database, of this tenant; without it by calls, of your key' },
    shared: { type: 'boolean', help: 'for operators: into the database, for every tenant' },
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
encoding than UTF-8, too many bytes) are skipped and named. Addresses of private networks are removed.

Documents are sent in calls of import_documents, into the tenant of your key, which needs the scopes tenant:admin and tools:write.
A file may have about 15 MB. With --tenant or --shared it needs the database instead: DATABASE_URL and REDIS_URL, else those of
npm start, and EMBEDDING_* as in .env.example; a file may have 20 MB.

Exit code: 0 all imported, 1 something skipped or failed, 2 wrong usage, 130 interrupted.`,
  async run({ values, positionals }) {
    const target = targetOf(values);
    return runImport(findFiles(positionals, callerFolder()), target);
  },
});

interface Target {
  readonly collection: string;
  /** Of an import into the database; null for one by calls, whose key tells the tenant. */
  readonly tenant: string | null;
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
  return { collection, tenant: shared ? everyTenant : tenant === undefined ? null : tenantOf(tenant), prune };
}

async function runImport(found: FoundFiles, { collection, tenant, prune }: Target): Promise<number> {
  const importFiles = tenant === null ? byCalls() : byDatabase(tenant);
  let counts = { documents: 0, sections: 0, skipped: 0 };
  let file = 0;
  const warnings = new Set<string>();
  const bar = new ProgressBar(process.stderr, {
    format: '{bar} {value} of {total} files | {documents} documents, {sections} sections, {skipped} skipped',
    total: found.files.length,
    payload: counts,
  });
  const startedAt = performance.now();
  try {
    return await stoppable({
      onStop: () => bar.print('Stopping after this batch…'),
      async work(signal) {
        const report = await importFiles(found, {
          collection,
          prune,
          signal,
          onFile: (number) => bar.update((file = number), counts),
          onWarning: (warning) => warnings.add(warning),
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
    for (const warning of warnings) print(warning);
  }
}

interface ImportFacts {
  readonly collection: string;
  readonly tenant: string | null;
  /** How long it took, such as `1.3 s`. */
  readonly time: string;
}

export function summaryOf(report: WayReport, { collection, tenant, time }: ImportFacts): string {
  const { added, changed, unchanged, removed, sectionsWritten, sectionsKept, sectionsRemoved, skipped, notes } = report;
  const owner = tenant === null ? 'the tenant of your key' : tenant === everyTenant ? 'every tenant' : `tenant ${tenant}`;
  const lines = [
    `Collection ${collection} of ${owner}, in ${time}: ${added} documents added, ${changed} changed, ${unchanged} unchanged, ${removed} removed.`,
    `Sections: ${sectionsWritten} written, ${sectionsKept} kept, ${sectionsRemoved} removed.`,
    ...notes.map(({ path, note }) => `  note     ${path}: ${note}`),
    ...skipped.map(({ path, reason }) => `  skipped  ${path}: ${reason}`),
  ];
  return lines.join('\n');
}
