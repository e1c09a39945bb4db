import type { UpstreamServices } from './services.js';

/** Keeps files in memory. */
export const keptFiles = new Map<string, Uint8Array>();
export const reportFiles: UpstreamServices['reportFiles'] = {
  files: {
    save: async ({ id, owner, bytes, ...rest }) => {
      keptFiles.set(id, bytes);
      const { tenantId, userId } = owner;
      return { id, tenantId, userId, sizeBytes: bytes.byteLength, sha256: '', createdAt: new Date(), ...rest };
    },
  },
  linkTo: ({ id, expiresAt }) => ({ url: `https://invoq.example.com/files/${id}`, expiresAt }),
  visibility: 'private',
  keepMs: 3_600_000,
};
