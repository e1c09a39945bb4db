/**
 * Documents that can be searched, cited and read: collections of documents, cut into sections, over libs/retrieval.
 * `importDocuments` brings them in, `KnowledgeBase` answers; both are given a pool of Postgres connections.
 */
export type { DocumentType, NewDocument } from './document.js';
export { embedMissing } from './embed-missing.js';
export { groundedThreshold } from './grounding.js';
export { sourcesOfFile, sourcesOfFiles } from './import/files.js';
export { importDocuments, type ImportReport, type ImportSource } from './import/import-documents.js';
export { countOthers } from './import/store-documents.js';
export { KnowledgeBase, type FoundSection, type KnowledgeQuery } from './knowledge-base.js';
export { readEach, type Read } from './read/read-each.js';
export { readJsonLine } from './read/json-line.js';
export { UnreadableDocument } from './document.js';
export { everyTenant } from './spaces.js';
