import { z } from 'zod';
import { callerSchema } from './codec.js';

/** A fresh ticket has no job. `used` tells tickets that older versions stored after their use. */
const ticketSchema = z.object({ caller: callerSchema, used: z.boolean(), jobId: z.string().optional() });
export type Ticket = z.infer<typeof ticketSchema>;

export function encodeTicket(ticket: Ticket): string {
  return JSON.stringify(ticket);
}

export function decodeTicket(text: string): Ticket {
  return ticketSchema.parse(JSON.parse(text));
}
