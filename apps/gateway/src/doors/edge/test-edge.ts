// A gateway whose answers at the edge are counted.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, jest } from '@jest/globals';
import { z } from 'zod';
import type { Outcome } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { RepeatedCalls } from '../../calls/repeated-calls.js';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../test-gateway.js';
import { BegunCalls } from './begun-calls.js';

const answerShape = z.looseObject({
  data: z.object({ made: z.string() }).optional(),
  error: z.looseObject({ code: z.string() }).optional(),
  metadata: z.looseObject({ trace_id: z.string(), cache: z.looseObject({ hit: z.boolean() }).optional() }),
});

export interface Sent {
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a call that the cache may answer. */
export const order = (name: string = randomUUID()): string => JSON.stringify({ order: name });

const ownOfOne = /^(x-trace-id|x-request-id|traceparent|content-length|transfer-encoding|date|keep-alive)$/;

/** An answer without what is of one call alone. */
export const told = ({ status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string }) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !ownOfOne.test(name))),
  text: text
    .replaceAll(/trace_\d+_[\w-]+|inv_[\w-]+|evt_[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replaceAll(/(\\*"(?:job_id|request_id|execution_time_ms|\w+_ms)\\*":)(\\*"[^"\\]*\\*"|[\d.]+)/g, '$1…'),
});

function counting(): TestGatewayOptions['handler'] {
  let ran = 0;
  return (): Outcome => ({ ok: true, data: { made: `no. ${(ran += 1)}, ä` } });
}

export class TestEdge implements AsyncDisposable {
  readonly gateway: TestGateway;
  /** How many requests the edge has answered as they were answered before. */
  answers = 0;
  readonly #begun = jest.spyOn(BegunCalls.prototype, 'answer');

  private constructor(gateway: TestGateway) {
    this.gateway = gateway;
    const calls = gateway.app.get(RepeatedCalls);
    const answer = calls.answer.bind(calls);
    calls.answer = (...args) => {
      const answered = answer(...args);
      if (answered) this.answers += 1;
      return answered;
    };
  }

  /** @param handler default: makes what is ordered, and counts */
  static async start(settings: Readonly<Record<string, string>>, handler = counting()): Promise<TestEdge> {
    return new TestEdge(await startTestGateway({ settings, handler }));
  }

  /** How many calls the edge has begun. */
  get begun(): number {
    return this.#begun.mock.calls.length;
  }

  /** Sends a call, and tells whether the edge has answered it. Nothing else may be sent meanwhile. */
  async send(credential: string, { path = '/tools/test_cached', body, headers = {} }: Sent) {
    const before = this.answers;
    const response = await fetch(`${this.gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isRepeated = this.answers > before;
    return { status: response.status, headers: response.headers, text, json: answerShape.parse(JSON.parse(text)), repeated: isRepeated };
  }

  /** Sends a call until the edge answers it. */
  async repeated(credential: string, sent: Sent) {
    let last = await this.send(credential, sent);
    for (let time = 0; time < 20 && !last.repeated; time++) last = await this.send(credential, sent);
    expect(last).toMatchObject({ status: 200, repeated: true });
    return last;
  }

  /** Sends a call by a client of its own, which may go away. */
  client(credential: string, { path = '/tools/test_cached', body = '', headers = {} }: Sent): ClientRequest {
    const own = { authorization: `Bearer ${credential}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const client = request(`${this.gateway.url}${path}`, { method: 'POST', headers: { ...own, ...headers }, agent: false });
    return client.on('error', () => undefined).end(body);
  }

  /** Sends calls of such clients until the edge begins them. */
  async learnFrom(send: () => ClientRequest): Promise<void> {
    await eventually(async () => {
      const before = this.begun;
      const [answer] = await once(send(), 'response');
      answer.resume();
      await once(answer, 'end');
      // What is learnt is learnt when the answer has been read.
      await setTimeout(20);
      return this.begun > before;
    });
  }

  async revoke(credential: string): Promise<void> {
    const admin = await this.gateway.caller({ userId: null, scopes: ['*'] });
    await admin.request(`/keys/${/^invoq_([^_]+)/.exec(credential)?.[1]}`, { method: 'DELETE' });
  }

  async stateOf(jobId: string) {
    return (await this.gateway.stores.store.read(jobId))?.state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#begun.mockRestore();
    await this.gateway[Symbol.asyncDispose]();
  }
}
