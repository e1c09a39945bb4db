// The messages of the render process to its worker.
import { z } from 'zod';

export const renderMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('progress'), percent: z.number(), message: z.string() }),
  z.strictObject({ kind: z.literal('done'), bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
  z.strictObject({ kind: z.literal('too-complex'), message: z.string() }),
  z.strictObject({ kind: z.literal('failed'), message: z.string() }),
]);
export type RenderMessage = z.output<typeof renderMessage>;
