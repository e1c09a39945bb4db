export { openDisk } from './disk.js';
export { ExpiringFiles, isMissing } from './expiring-files.js';
export { FileLinks } from './file-links.js';
export { fileNameOf } from './file-name.js';
export { FilePieces } from './file-pieces.js';
export { Files, fileIdOf, type StoredFile } from './files.js';
export { KeptFiles } from './kept-files.js';
