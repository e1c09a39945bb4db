// All handlers of this worker, one line each.
export * from './citation-helper.js';
export * from './get-document.js';
export * from './import-documents.js';
export * from './search-documents.js';
export * from './search-knowledge.js';
