import { getDocument } from '#lib/contracts';
import { codePoints, summarise, truncate } from '#lib/retrieval';
import { handle } from '../services.js';

export const handleGetDocument = handle(
  getDocument,
  async ({ document_id, max_length, return_summary }, { knowledge, caller, network, error }) => {
    const document = await network(() => knowledge.document(caller.tenantId, document_id));
    if (!document) throw error('DOCUMENT_NOT_FOUND', `There is no document '${document_id}'`);
    const content = truncate(document.content, max_length);
    const truncated = content.length < document.content.length;
    return {
      document_id: document.id,
      title: document.title,
      collection: document.collection,
      tags: [...document.tags],
      last_updated: document.lastUpdated.toISOString(),
      content,
      truncated,
      ...(truncated && {
        truncation_info: {
          original_length: codePoints(document.content),
          returned_length: codePoints(content),
          ...(return_summary && { summary: summarise(document.content) }),
        },
      }),
    };
  },
);
