export { fileSettings, openDisk, type FileSettings } from './disk.js';
export { FileLinks } from './file-links.js';
export { Files, fileIdOf, type StoredFile } from './files.js';
