import { z } from 'zod';

/** What of a line is sealed. */
export const sealedCall = z.object({
  input: z.unknown(),
  options: z.record(z.string(), z.unknown()),
  /** The call's own trace id, if it brought one. */
  traceId: z.string().nullable(),
  /** The working session that it belongs to. */
  sessionId: z.string().nullable().default(null),
  /** The job that it replays, and how many replays in a row it is the last of. */
  replay: z.object({ of: z.string(), times: z.number() }).optional(),
});
export type SealedCall = z.output<typeof sealedCall>;
