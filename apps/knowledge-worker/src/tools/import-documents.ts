import { importDocuments as contract } from '#lib/contracts';
import { importDocuments } from '#lib/knowledge';
import { poolInTurn } from '../pool-in-turn.js';
import { handle } from '../services.js';

export const handleImportDocuments = handle(
  contract,
  async ({ collection, documents, prune }, { importing, reader, sectionsChanged, caller, network, signal, progress, warn }) => {
    const report = await network(async () => {
      try {
        return await importDocuments(reader.read(documents, { tenant: caller.tenantId, signal }), {
          pool: poolInTurn(importing.pool, { turns: importing.turns, tenant: caller.tenantId, signal }),
          vectors: importing.vectors,
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
