import { z } from 'zod';
import { secret } from './marks.js';

/** A file as an answer tells of it (TU-51…53): always a link, on HTTP a small one's bytes too, never towards a model (C-27). */
export const fileOutput = {
  file_id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int().nonnegative(),
  // Whoever has it may read the file.
  url: secret(z.url()).describe('Where the file can be downloaded until expires_at.'),
  expires_at: z.iso.datetime(),
  content_base64: z.string().optional().describe('The file itself, when it is smaller than 1 MiB and the answer is read over HTTP.'),
} as const;

/** Files of this size and more come as a link alone. */
export const inlineFileBytes = 1_048_576;
