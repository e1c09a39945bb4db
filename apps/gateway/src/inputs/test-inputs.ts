// A gateway in the process of its test, with people who ask and people who decide.
import { inputRequest, undecidedOutcome, userScopes, type InputRequest } from '#lib/contracts';
import { acceptedShape, type HttpCaller, type Reply } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

export const approverScopes = [...userScopes, 'approvals'];

export async function startDeciding() {
  const ran: Record<string, unknown>[] = [];
  const gateway = await startTestGateway({
    handler: ({ head }) => {
      ran.push(head.input);
      return { ok: true, data: { made: String(head.input['order']) } };
    },
  });
  const asker = await gateway.caller();
  const boss = await gateway.caller({ userId: 'boss', scopes: approverScopes });
  return Object.assign(gateway, {
    /** Parameters of what ran. */
    ran,
    asker,
    boss,
    /** A call that rests, and what is asked about it. */
    ask: async (json: object, tool = 'test_approved', by = asker) => {
      const reply = await by.post(`/tools/${tool}`, json);
      const accepted = reply.as(acceptedShape);
      return { ...accepted, reply, input: accepted.rest?.input_request ?? '' };
    },
  });
}

export type Deciding = Awaited<ReturnType<typeof startDeciding>>;

export async function decide(by: HttpCaller, id: string, json: object): Promise<Reply> {
  return by.post(`/input-requests/${id}`, json);
}

export async function read(by: HttpCaller, id: string): Promise<InputRequest> {
  return (await by.get(`/input-requests/${id}`)).as(inputRequest);
}

/** What the waker of a worker does once nobody has decided in time. */
export async function expire({ stores: { store } }: TestGateway, jobId: string): Promise<string> {
  const record = await store.read(jobId);
  if (!record?.rest) throw new Error('It does not rest');
  const finishedAt = Date.now();
  const times = { startedAt: null, finishedAt, attempts: 0, executionMs: 0, networkMs: 0 };
  const ending = { ...times, state: 'failed', outcome: undecidedOutcome(record.head.tool) } as const;
  return store.finish({ jobId, head: record.head, ending, attempt: null, atRest: record.rest.number });
}
