import { z } from 'zod';
import { relayedRequest } from '../outside/relayed.js';
import { pageCursor, pagination } from './past.js';

export const inputKinds = ['approval', 'question', 'connection'] as const;
export type InputKind = (typeof inputKinds)[number];

export const inputStates = ['open', 'accepted', 'declined', 'cancelled', 'expired'] as const;
export type InputState = (typeof inputStates)[number];

/** What a person is asked, while a call rests for it. */
export const inputRequest = z.strictObject({
  id: z.string(),
  /** `approval`: whether a call may run. `question`: something that its tool asks its caller. `connection`: an account of its caller. */
  kind: z.enum(inputKinds),
  job_id: z.string(),
  tool_name: z.string(),
  message: z.string(),
  /** JSON Schema of the content that is asked for; null where nothing but a decision is. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  /** Of a question of an outside server to the client of the call: what it asks in the words of MCP, for which `schema` stands. For the caller alone. */
  request: relayedRequest.nullable().optional(),
  /** Sensitive ones are masked. After an approval that changed them, as they were approved. Null where they cannot be shown: too large, or sealed by a key that is gone. */
  arguments: z.record(z.string(), z.unknown()).nullable(),
  /** The principal whose call it is. */
  requested_by: z.string(),
  /** Of a connection alone: where the browser of its caller goes. Null once it is over, and for everybody else. */
  url: z.string().nullable().optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  state: z.enum(inputStates),
  /** The principal who decided; null while nobody has. */
  decided_by: z.string().nullable(),
  decided_at: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
});
export type InputRequest = z.infer<typeof inputRequest>;

/** Parameters of `GET /input-requests`. */
export const inputRequestsQuery = z.strictObject({
  /** Those of the caller's own calls, and what the caller may approve; `tenant`, with the scope `approvals`: all of its tenant. */
  scope: z.enum(['mine', 'tenant']).default('mine'),
  state: z.enum(inputStates).optional(),
  kind: z.enum(inputKinds).optional(),
  tool: z.string().max(200).optional(),
  cursor: pageCursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type InputRequestsQuery = z.output<typeof inputRequestsQuery>;

/** Answer of `GET /input-requests`, newest first. */
export const inputRequestPage = z.strictObject({ input_requests: z.array(inputRequest), pagination });
export type InputRequestPage = z.infer<typeof inputRequestPage>;

const inputActions = ['accept', 'decline', 'cancel'] as const;

/** Body of `POST /input-requests/{id}`. */
export const inputDecision = z.strictObject({
  action: z.enum(inputActions),
  /** With `accept`: of an approval `{ arguments }` where they are changed; of a question what its schema asks for. */
  content: z.record(z.string(), z.unknown()).optional(),
  /** For the caller and the audit. */
  reason: z
    .string()
    .max(1_000)
    .transform((text) => text.replaceAll('\0', '\uFFFD').toWellFormed())
    .optional(),
});
export type InputDecision = z.output<typeof inputDecision>;
