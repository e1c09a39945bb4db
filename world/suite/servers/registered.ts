import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Broken, eventually, must } from '#lib/testing';
import type { Place } from '../place.js';

const shown = z.looseObject({
  tools: z.array(z.looseObject({ tool: z.string(), offered_as: z.string().nullable(), state: z.string(), reason: z.string().optional() })),
});

export interface Registered {
  /** Tools that can be called: their names there and here. */
  readonly served: readonly { readonly tool: string; readonly name: string }[];
  readonly rejected: readonly { readonly tool: string; readonly reason: string }[];
}

const envelope = z.looseObject({
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
});

/** A busy machine may start a program too slowly the first time; what is wrong with it is wrong twice. */
const triesOfPrograms = 2;
/** Refusals that ask to come again, and are asked again. */
const mostPassing = 3;

/** Registers a server; a command of the worker is the operator's, for every tenant. Throws Broken when it is refused. */
export async function register({ admin }: Place, body: { readonly name: string; readonly [field: string]: unknown }): Promise<Registered> {
  const tries = body['stdio'] === undefined ? 1 : triesOfPrograms;
  let passing = mostPassing;
  for (let left = tries; ; left--) {
    const reply = await admin.post('/mcp/servers', tries > 1 ? { ...body, tenants: '*' } : body);
    if (reply.status === 201) return registeredIn(reply.as(shown));
    // The embedded Postgres serves one query at a time, and much starts at once here.
    if (reply.status === 503 && passing-- > 0) {
      left++;
      await sleep(1_000);
    } else if (left === 1) throw new Broken(`POST /mcp/servers ${JSON.stringify(body)} → ${reply.status} ${reply.text.slice(0, 400)}`);
  }
}

/** Every tool is served or rejected with a reason, and none of them is another than was said. */
export function mustServe({ served, rejected }: Registered, lists: number, rejects: readonly string[] = []): void {
  const names = rejected.map(({ tool, reason }) => `${tool} (${reason})`);
  must(served.length + rejected.length === lists, `${served.length} served and ${rejected.length} rejected of ${lists}`);
  const unexpected = rejected.filter(({ tool }) => !rejects.includes(tool));
  must(unexpected.length === 0, `rejected: ${names.join('; ')}`);
  must(
    rejected.every(({ reason }) => reason.length > 10),
    `rejected without a reason: ${names.join('; ')}`,
  );
}

function registeredIn({ tools }: z.output<typeof shown>): Registered {
  return {
    served: tools.flatMap(({ tool, offered_as: name, state }) => (state === 'served' && name !== null ? [{ tool, name }] : [])),
    rejected: tools.flatMap(({ tool, state, reason = '' }) => (state === 'served' ? [] : [{ tool, reason }])),
  };
}

interface Called {
  readonly ok: boolean;
  /** The answer as text to search in. */
  readonly text: string;
}

export async function call({ user }: Place, tool: string, input: object): Promise<Called> {
  const reply = await user.post(`/tools/${tool}`, input);
  const parsed = envelope.safeParse(reply.body);
  if (!parsed.success) throw new Broken(`POST /tools/${tool} → ${reply.status} ${reply.text.slice(0, 400)}`);
  return { ok: parsed.data.success, text: JSON.stringify(parsed.data.success ? parsed.data.data : parsed.data.error) };
}

/** The call succeeds, at once or within a while, and its answer holds this. */
export async function mustAnswer(
  place: Place,
  { tool, input, holds }: { readonly tool: string; readonly input: object; readonly holds: RegExp },
  withinMs = 0,
): Promise<void> {
  let last: Called = { ok: false, text: '' };
  const isRight = async (): Promise<boolean> => {
    last = await call(place, tool, input);
    return last.ok && holds.test(last.text);
  };
  if (await isRight()) return;
  if (withinMs > 0 && (await eventually(isRight, { withinMs, what: tool }).catch(() => false))) return;
  throw new Broken(`${tool} ${JSON.stringify(input)} → ${last.text.slice(0, 500)}; expected ${String(holds)}`);
}
