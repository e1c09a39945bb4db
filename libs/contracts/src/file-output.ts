import { z } from 'zod';
import { secret } from './marks.js';

/** A file in an answer (TU-51…53): always a link. Over HTTP a small file's bytes are included; models never get them (C-27). */
export const fileOutput = {
  file_id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int().nonnegative(),
  // Secret, because anyone who has the link can read the file.
  url: secret(z.url()).describe('Where the file can be downloaded until expires_at.'),
  expires_at: z.iso.datetime(),
  content_base64: z.string().optional().describe('The file itself, when it is smaller than 1 MiB and the answer is read over HTTP.'),
} as const;

/** Files of this many bytes or more are answered as a link only. */
export const inlineFileBytes = 1_048_576;
