import { importDocuments as contract } from '#lib/contracts';
import { countOthers, importDocuments } from '#lib/knowledge';
import type { ToolContext } from '#lib/handlers';
import { poolInTurn } from '../pool-in-turn.js';
import { handle } from '../services.js';

export const handleImportDocuments = handle(contract, async ({ collection, documents, prune: asked, confirm }, context) => {
  const { importing, reader, sectionsChanged, caller, network, signal, progress, warn } = context;
  const pool = poolInTurn(importing.pool, { turns: importing.turns, tenant: caller.tenantId, signal });
  const target = { tenantId: caller.tenantId, collection };
  const prune = asked && (!confirm || (await mayPrune(context, { pool, target, paths: documents.map(({ path }) => path) })));
  if (asked && !prune) warn('Nothing was removed: you did not say yes.');
  const report = await network(async () => {
    try {
      return await importDocuments(reader.read(documents, { tenant: caller.tenantId, signal }), {
        pool,
        vectors: importing.vectors,
        ...target,
        prune,
        signal,
        onProgress: (done) =>
          progress(Math.min(99, ((done.documents + done.skipped) / documents.length) * 100), `${done.sections} sections, at ${done.path}`),
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
});

interface Pruning {
  readonly pool: Parameters<typeof countOthers>[0];
  readonly target: Parameters<typeof countOthers>[1];
  readonly paths: readonly string[];
}

/** Asks before anything is done, so nothing is done twice after the rest. Documents in lines have paths of their own, which are not known yet. */
async function mayPrune({ ask, network }: Pick<ToolContext, 'ask' | 'network'>, { pool, target, paths }: Pruning): Promise<boolean> {
  const { count, first } = await network(async () => countOthers(pool, target, paths));
  if (count === 0) return true;
  const some = `${first.join(', ')}${count > first.length ? ' and others' : ''}`;
  const message = `Documents of the collection ${target.collection} that are not named in this import: ${count} (${some}). Remove them?`;
  return (await ask('remove documents', { message: message.slice(0, 2_000) })).action === 'accept';
}
