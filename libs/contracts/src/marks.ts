// Marks on schema fields. They are part of the field's metadata, so redaction and sealing follow from the schema itself.
import { z } from 'zod';

/** Personal or health data. It is masked in logs, spans and boards, and answered to the caller unchanged. */
export function sensitive<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...z.globalRegistry.get(schema), sensitive: true });
}

/** A credential or a one-time link. It is encrypted before it leaves the worker, and decrypted for its caller alone. Output fields only. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...z.globalRegistry.get(schema), secret: true });
}

/** Our own schema keywords. Published schemas do not contain them. */
export const privateKeywords = ['sensitive', 'secret'] as const;
export type Mark = (typeof privateKeywords)[number];
