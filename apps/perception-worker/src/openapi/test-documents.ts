import { UnusableDocument } from './document.js';
import type { DocumentReader } from './document-reader.js';
import { readDocument } from './read-document.js';

/** Reads documents in this process: what kills a reader is tried where it is built. */
export const documents: Pick<DocumentReader, 'toolsOf'> = {
  toolsOf: async (request) => {
    const read = readDocument(request);
    if ('unusable' in read) throw new UnusableDocument(read.unusable);
    return read;
  },
};
