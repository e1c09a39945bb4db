import { getDocument } from '#lib/contracts';
import { cutText } from '#lib/retrieval';
import { handle } from '../services.js';

export const handleGetDocument = handle(getDocument, async ({ document_id, ...limits }, { knowledge, caller, network, error }) => {
  const document = await network(() => knowledge.document(caller.tenantId, document_id));
  if (!document) throw error('DOCUMENT_NOT_FOUND', `There is no document '${document_id}'`);
  const { text, truncation } = cutText(document.content, limits);
  return {
    document_id: document.id,
    title: document.title,
    collection: document.collection,
    tags: [...document.tags],
    last_updated: document.lastUpdated.toISOString(),
    content: text,
    truncated: truncation !== null,
    ...(truncation && { truncation_info: truncation }),
  };
});
