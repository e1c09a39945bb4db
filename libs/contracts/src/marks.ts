// Marks on schema fields. They travel in the field's own metadata, so redaction, sealing and documentation read one source.
import { z } from 'zod';

/** Personal or health data: masked in every log, span and board; answered to the caller as it is. */
export function sensitive<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...z.globalRegistry.get(schema), sensitive: true });
}

/** A credential or one-time link: encrypted before it leaves the worker, opened for the caller alone. Output fields only. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...z.globalRegistry.get(schema), secret: true });
}

/** Keywords of ours that no published schema shows. */
export const privateKeywords = ['sensitive', 'secret'] as const;
export type Mark = (typeof privateKeywords)[number];
