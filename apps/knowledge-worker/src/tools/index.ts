// All handlers of this worker. `npm run format` writes this list.
export { handleCitationHelper } from './citation-helper.js';
export { handleGetDocument } from './get-document.js';
export { handleImportDocuments } from './import-documents.js';
export { handleSearchDocuments } from './search-documents.js';
export { handleSearchKnowledge } from './search-knowledge.js';
