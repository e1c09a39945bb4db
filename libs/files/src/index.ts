export { openDisk } from './disk.js';
export { ExpiringFiles, isMissing } from './expiring-files.js';
export { FileLinks } from './file-links.js';
export { Files, fileIdOf, type StoredFile } from './files.js';
