// Ten thousand mixed calls of two tenants: what their callers have counted, beside which figures are held.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';
import { defineTool, startedBatch, webhookWithSecret } from '#lib/contracts';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { eventually, givenStores, HttpCaller, startSystem, Tenant, type System } from '#lib/testing';

/** What each attempt of `make_quote` costs, in millionths of a US dollar. */
export const quoteMicros = 1_250;
/** Calls that a worker of the tenant fails; those of the batch are among them. */
export const failedCalls = 400;
const atOnce = 32;

const quote = defineTool({
  name: 'make_quote',
  version: '1.0.0',
  title: 'Quote',
  description: 'Makes a quote. A tool of a test, served by a worker of a tenant.',
  domain: 'own-sales',
  effect: 'write',
  input: z.strictObject({ text: z.string().describe('What is asked for.') }),
  output: z.strictObject({ said: z.string() }),
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  timeoutMs: 20_000,
  estimatedTokens: 10,
  examples: [{ input: { text: 'a' }, output: { said: 'a' } }],
});

/** What one call is, and how many of them there are. Each is sent with its number. */
interface Kind {
  readonly count: number;
  readonly caller: HttpCaller;
  readonly tenant: string;
  readonly user: string;
  readonly tool: string;
  readonly input: (n: number) => Readonly<Record<string, unknown>>;
}

/** The end of a call as its caller was told it. */
interface End {
  readonly ran: boolean;
  readonly isSystemFault: boolean;
  readonly code: string | null;
  readonly nativeCode: string | null;
  readonly micros: number;
}

const metrics = (n: number) => ({
  height_cm: 150 + (n % 50),
  weight_kg: Math.round((50 + n / 100) * 100) / 100,
  age: 30,
  gender: 'male',
  activity_level: 'moderate',
});

const answered = z.looseObject({
  error: z.looseObject({ code: z.string(), native_code: z.string().nullish() }).nullish(),
  metadata: z.looseObject({
    job_id: z.string().nullish(),
    cache: z.looseObject({ hit: z.boolean() }).nullish(),
    cost: z.strictObject({ micros: z.number() }).nullish(),
  }),
});

/** Sums of what the answers said, as the APIs and the screens should have them. */
class Tally {
  /** By tenant, tool, code, own code. */
  readonly errors = new Map<string, number>();
  /** Calls by tool, as each gave an answer. */
  readonly calls = new Map<string, number>();
  /** Those that ran: by tenant and tool, and by tenant and user. */
  readonly ran = new Map<string, number>();
  readonly ranOf = new Map<string, number>();
  /** Of those that ran, the ones that failed by tenant and tool. */
  micros = 0;
  system = 0;
  total = 0;

  add({ tenant, user, tool }: Pick<Kind, 'tenant' | 'user' | 'tool'>, { ran, isSystemFault, code, nativeCode, micros }: End): void {
    const name = code === 'TOOL_NOT_FOUND' ? 'unknown' : tool;
    this.total += 1;
    this.micros += micros;
    one(this.calls, name);
    if (ran) {
      one(this.ran, `${tenant} ${tool}`);
      one(this.ranOf, `${tenant} ${user}`);
    }
    if (code === null) return;
    if (isSystemFault) this.system += 1;
    one(this.errors, [tenant, name, code, nativeCode].join(' '));
  }

  allErrors(): number {
    return sumOf(this.errors);
  }
}

/** Adds to a count. */
export function one(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** All counts together. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

interface Parts {
  readonly system: System;
  readonly other: Tenant;
  readonly keys: Readonly<Record<'admin' | 'user' | 'boss', string>>;
  readonly worker: ServedWorker;
}

/** The system after its calls. */
export class MixedCalls implements AsyncDisposable {
  readonly tally = new Tally();
  readonly system: System;
  readonly other: Tenant;
  readonly adminKey: string;
  readonly admin: HttpCaller;
  readonly user: HttpCaller;
  readonly userKey: string;
  /** An administrator of the tenant. */
  readonly boss: HttpCaller;
  readonly bossKey: string;
  batchId = '';
  webhookId = '';
  readonly #worker: ServedWorker;
  readonly #receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });

  private constructor({ system, other, keys, worker }: Parts) {
    this.system = system;
    this.other = other;
    this.adminKey = keys.admin;
    this.userKey = keys.user;
    this.bossKey = keys.boss;
    this.boss = new HttpCaller(system.gateway.url, keys.boss);
    this.admin = new HttpCaller(system.gateway.url, keys.admin);
    this.user = new HttpCaller(system.gateway.url, keys.user);
    this.#worker = worker;
  }

  /** Starts everything, makes all calls, and waits for their answers. */
  static async made(): Promise<MixedCalls> {
    const system = await startSystem({ gateways: 2, env: { RATE_LIMIT_FREE: '1', TOOL_QUOTA_FREE: '5' } });
    const other = await Tenant.create(givenStores().databaseUrl);
    const isServing = Promise.withResolvers<void>();
    const worker = serve({
      tools: [
        handle(quote, ({ text }, { cost, error }) => {
          cost(quoteMicros);
          if (text.startsWith('none')) throw error('SOLD_OUT', `None of ${text} is left`);
          if (text.startsWith('broken')) throw new Error(`upstream price.internal refused ${text}`);
          return { said: text };
        }),
      ],
      url: system.gateway.url,
      key: await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
      domain: 'sales',
      stopsOnSignal: false,
      onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
    });
    await Promise.race([isServing.promise, worker.stopped]);
    const keys = {
      admin: await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }),
      user: await system.tenant.key({}),
      boss: await system.tenant.key({ userId: 'boss', scopes: ['tenant:admin', 'tools:read'] }),
    };
    const calls = new MixedCalls({ system, other, keys, worker });
    await calls.#setUp();
    await calls.#callAll(await calls.#kinds());
    await calls.#callBatch();
    return calls;
  }

  /** What counts the calls, and is told of them. */
  async #setUp(): Promise<void> {
    const { admin } = this;
    const put = (name: string, of: object) =>
      admin.request(`/budgets/${name}`, {
        method: 'PUT',
        json: { period: 'month', limit_calls: 1_000_000, limit_micros: 50_000_000, ...of },
      });
    const made = [await put('whole', {}), await put('quotes', { tool: 'make_quote' }), await put('second', { user: 'user_other' })];
    this.#receiver.listen(0, '127.0.0.1');
    await once(this.#receiver, 'listening');
    const address = this.#receiver.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const webhook = await admin.post('/webhooks', { url: `http://127.0.0.1:${port}/told`, events: ['call.failed'] });
    this.webhookId = webhook.as(webhookWithSecret).id;
    const refused = made.find(({ status }) => status >= 300);
    if (refused) throw new Error(`a budget was refused: ${refused.text}`);
  }

  async #kinds(): Promise<readonly Kind[]> {
    const { system, other } = this;
    const [own, foreign] = [system.tenant.id, other.id];
    const [theirs, powerless, free, second] = await Promise.all([
      other.key(),
      system.tenant.key({ userId: 'nobody', scopes: ['chat'] }),
      system.tenant.key({ userId: 'free', tier: 'free' }),
      system.tenant.key({ userId: 'user_other' }),
    ]);
    const [a, b] = [system.gateways[0]?.url ?? '', system.gateways[1]?.url ?? ''];
    const callers = {
      user: { caller: this.user, tenant: own, user: 'user_001' },
      elsewhere: { caller: this.user.at(b), tenant: own, user: 'user_001' },
      second: { caller: new HttpCaller(b, second), tenant: own, user: 'user_other' },
      powerless: { caller: new HttpCaller(a, powerless), tenant: own, user: 'nobody' },
      free: { caller: new HttpCaller(b, free), tenant: own, user: 'free' },
      theirs: { caller: new HttpCaller(b, theirs), tenant: foreign, user: 'user_001' },
      theirsToo: { caller: new HttpCaller(a, theirs), tenant: foreign, user: 'user_001' },
    };
    type Callers = keyof typeof callers;
    const kinds: readonly (readonly [number, Callers, string, Kind['input']])[] = [
      [2_500, 'user', 'calc_metrics', metrics],
      [300, 'second', 'calc_metrics', (n) => metrics(n + 3_000)],
      [600, 'elsewhere', 'calc_metrics', () => metrics(1)],
      [1_000, 'elsewhere', 'calc_metrics', (n) => ({ ...metrics(n), height_cm: `${n} feet` })],
      [500, 'user', 'calc_metrics', (n) => ({ ...metrics(n), [`extra_${String.fromCodePoint(97 + (n % 26))}`]: 1 })],
      [300, 'user', 'no_such_tool', () => ({})],
      [700, 'powerless', 'calc_metrics', metrics],
      [400, 'user', 'user_profile_lookup', () => ({ user_id: 'user_001' })],
      [400, 'elsewhere', 'user_profile_lookup', (n) => ({ user_id: `stranger_${n}` })],
      [600, 'user', 'make_quote', (n) => ({ text: `fine ${n}` })],
      [300, 'second', 'make_quote', (n) => ({ text: `fine ${n}` })],
      [280, 'elsewhere', 'make_quote', (n) => ({ text: `none ${n}` })],
      [380, 'user', 'make_quote', (n) => ({ text: `broken ${n}` })],
      [200, 'free', 'calc_metrics', (n) => metrics(n + 5_000)],
      [900, 'theirs', 'calc_metrics', metrics],
      [300, 'theirsToo', 'calc_metrics', () => ({})],
      [200, 'theirsToo', 'make_quote', () => ({ text: 'of another tenant' })],
    ];
    return kinds.map(([count, who, tool, input]) => ({ count, tool, input, ...callers[who] }));
  }

  /** In an order that mixes them, some at a time. */
  async #callAll(kinds: readonly Kind[]): Promise<void> {
    const queue = kinds
      .flatMap((kind, index) => Array.from({ length: kind.count }, (_, n) => ({ kind, n, place: (n + index / kinds.length) / kind.count })))
      .sort((first, second) => first.place - second.place)
      .values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const { kind, n } of queue) {
          const { status, body } = await kind.caller.call(kind.tool, kind.input(n));
          this.tally.add(kind, endOf(body, status));
        }
      }),
    );
  }

  /** The last of them come together: 100 fine ones, 20 that are refused, 20 that fail. */
  async #callBatch(): Promise<void> {
    const texts = Array.from({ length: 140 }, (_, n) => `${n % 7 === 0 ? 'none' : n % 7 === 1 ? 'broken' : 'fine'} ${n + 1_000}`);
    const calls = texts.map((text) => ({ name: 'make_quote', arguments: { text } }));
    this.batchId = (await this.user.post('/batches', { calls })).as(startedBatch).batch_id;
    const lines = await eventually(
      async () => {
        const read = (await this.user.get(`/batches/${this.batchId}/results?wait=5`)).text.trim().split('\n');
        return read.length === calls.length ? read : undefined;
      },
      { withinMs: 60_000 },
    );
    for (const line of lines)
      this.tally.add({ tenant: this.system.tenant.id, user: 'user_001', tool: 'make_quote' }, endOf(JSON.parse(line), null));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.stop();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
    await this.other[Symbol.asyncDispose]();
    await this.system[Symbol.asyncDispose]();
  }
}

/** @param status null where there is none: in a batch */
function endOf(answer: unknown, status: number | null): End {
  const { error, metadata } = answered.parse(answer);
  return {
    ran: typeof metadata.job_id === 'string' && metadata.cache?.hit !== true,
    isSystemFault: status === null ? error?.code === 'EXECUTION_ERROR' : status >= 500,
    code: error?.code ?? null,
    nativeCode: error?.native_code ?? null,
    micros: metadata.cost?.micros ?? 0,
  };
}
