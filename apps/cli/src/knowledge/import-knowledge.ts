// `npm run knowledge:import`: documents from files into a collection. `--help` says how; what it promises is kept in libs/knowledge.
import { everyTenant, importDocuments, type ImportReport } from '#lib/knowledge';
import { createEmbedder, embeddingSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { databaseUrl, listenForStop, loadDotEnv, print, printError, UsageError } from '#lib/command-line';
import { endCachedCitations } from './knowledge-import/cached-citations.js';
import { readImportOptions, type KnowledgeImportOptions } from './knowledge-import/options.js';
import { KnowledgeProgress } from './knowledge-import/progress.js';
import { help } from './knowledge-import/help.js';
import { sourcesOf } from './knowledge-import/sources.js';

const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;
const statementTimeoutMs = 120_000;

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    printError(`error: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }),
);

async function main(args: readonly string[]): Promise<number> {
  loadDotEnv();
  const options = readImportOptions(args, process.env['INIT_CWD'] || process.cwd());
  if (options === 'help') {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const settings = settingsOrExit(embeddingSettings);
  const embedder = createEmbedder(settings);
  const pool = createPool({ url: databaseUrl(), poolSize: 2, name: 'knowledge-import', statementTimeoutMs });
  const bar = new KnowledgeProgress(process.stderr, options.files.length);
  const stopping = new AbortController();
  listenForStop({
    onStop: () => {
      bar.stop();
      print('Stopping after this batch…');
      stopping.abort();
    },
    onSecondStop: () => process.exit(exitCodes.interrupted),
  });
  const startedAt = performance.now();
  try {
    const report = await importDocuments(
      sourcesOf(options, (file) => bar.reach(file)),
      {
        pool,
        vectors: embedder && new VectorIndex(pool, embedder),
        tenantId: options.tenant,
        collection: options.collection,
        prune: options.prune,
        signal: stopping.signal,
        onProgress: (progress) => bar.show(progress),
      },
    );
    bar.stop();
    print(summary(options, report, (performance.now() - startedAt) / 1_000));
    return report.skipped.length > 0 ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    bar.stop();
    if (!stopping.signal.aborted) throw error;
    print('Interrupted. What was imported stays; run the same command again to go on.');
    return exitCodes.interrupted;
  } finally {
    // What was stored before a fault stays too.
    const note = await endCachedCitations();
    if (note) print(note);
    await pool.end();
  }
}

function summary({ collection, tenant }: KnowledgeImportOptions, report: ImportReport, seconds: number): string {
  const { added, changed, unchanged, removed, sectionsWritten, sectionsKept, sectionsRemoved, skipped, notes, vectorWarning } = report;
  const whose = tenant === everyTenant ? 'every tenant' : `tenant ${tenant}`;
  const lines = [
    `Collection ${collection} of ${whose}, in ${seconds.toFixed(1)} s: ${added} documents added, ${changed} changed, ${unchanged} unchanged, ${removed} removed.`,
    `Sections: ${sectionsWritten} written, ${sectionsKept} kept, ${sectionsRemoved} removed.`,
    ...notes.map(({ path, note }) => `  note     ${path}: ${note}`),
    ...skipped.map(({ path, reason }) => `  skipped  ${path}: ${reason}`),
    ...(vectorWarning === undefined ? [] : [`No vectors for now (${vectorWarning}); the worker makes them when the provider is back.`]),
  ];
  return lines.join('\n');
}
