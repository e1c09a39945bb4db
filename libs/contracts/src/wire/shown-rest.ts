import { z } from 'zod';
import { restReasons, type Rest } from '../rest.js';

/** What a call rests for, as every door and list tells it. */
export const shownRest = z.strictObject({
  reason: z.enum(restReasons),
  since: z.iso.datetime(),
  /** When it ends by itself. */
  until: z.iso.datetime(),
  /** The id of what a person is asked. */
  input_request: z.string().optional(),
  pause: z.strictObject({ name: z.string(), reason: z.string() }).optional(),
  /** The line in which it waits for others. `text`: `waits for 2 others of account 17`. `place`: from 1. */
  flow: z.strictObject({ name: z.string(), text: z.string(), place: z.number().int().min(1) }).optional(),
});
export type ShownRest = z.infer<typeof shownRest>;

export function toShownRest({ reason, since, until, inputRequest, pause, flow }: Rest): ShownRest {
  return {
    reason,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    ...(inputRequest !== undefined && { input_request: inputRequest }),
    ...(pause && { pause: { name: pause.name, reason: pause.why } }),
    ...(flow && { flow }),
  };
}
