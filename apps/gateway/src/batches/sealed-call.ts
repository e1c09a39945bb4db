import { z } from 'zod';

/** What of a line is sealed. */
export const sealedCall = z.object({
  input: z.unknown(),
  options: z.record(z.string(), z.unknown()),
  /** The call's own trace id, if it brought one. */
  traceId: z.string().nullable(),
  /** The job that it replays. */
  replayOf: z.string().optional(),
});
export type SealedCall = z.output<typeof sealedCall>;
