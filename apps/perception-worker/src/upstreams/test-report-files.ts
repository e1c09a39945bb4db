import type { UpstreamServices } from './services.js';

/** Keeps files in memory. */
export const keptFiles = new Map<string, Uint8Array>();
export const reportFiles: UpstreamServices['reportFiles'] = {
  keep: async (_caller, { id, filename, contentType, bytes }) => {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('Not in memory');
    keptFiles.set(id, bytes);
    const url = `https://invoq.example.com/files/${id}`;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return { file_id: id, filename, content_type: contentType, size_bytes: bytes.byteLength, url, expires_at };
  },
  visibility: 'private',
};
