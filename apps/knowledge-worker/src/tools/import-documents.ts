import { importDocuments as contract, type ToolInput } from '#lib/contracts';
import { importDocuments, readDocument, readJsonLine, type ImportSource } from '#lib/knowledge';
import { handle } from '../services.js';

type Given = ToolInput<typeof contract>['documents'][number];

export const handleImportDocuments = handle(
  contract,
  async ({ collection, documents, prune }, { importing, sectionsChanged, caller, network, signal, progress, warn }) => {
    const report = await network(async () => {
      try {
        return await importDocuments(documents.flatMap(sourcesOf), {
          ...importing,
          tenantId: caller.tenantId,
          collection,
          prune,
          signal,
          onProgress: (done) =>
            progress(
              Math.min(99, ((done.documents + done.skipped) / documents.length) * 100),
              `${done.sections} sections, at ${done.path}`,
            ),
        });
      } finally {
        // Also after a failure, because batches before it are stored.
        await sectionsChanged();
      }
    });
    if (report.vectorWarning !== undefined) warn(`Found by keywords alone for now: ${report.vectorWarning}.`);
    return {
      collection,
      added: report.added,
      changed: report.changed,
      unchanged: report.unchanged,
      removed: report.removed,
      sections_written: report.sectionsWritten,
      sections_kept: report.sectionsKept,
      sections_removed: report.sectionsRemoved,
      skipped: [...report.skipped],
      notes: [...report.notes],
    };
  },
);

function sourcesOf({ path, content, encoding }: Given): ImportSource[] {
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  if (!/\.(jsonl|ndjson)$/i.test(path)) return [{ path, read: () => readDocument(path, bytes) }];
  return bytes
    .toString('utf8')
    .split('\n')
    .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => ({ path: place, read: () => readJsonLine(place, line) }));
}
