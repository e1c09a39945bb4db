// Questions that nobody answers in time, by a clock that the test moves, and answers that are too large.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress, inputRequest } from '#lib/contracts';
import { handle, serve } from '#lib/serve';
import { CookieBrowser, eventually, HttpCaller, minuteMs, OAuthServer, startTimeoutMs } from '#lib/testing';
import { contractOf } from '../../../apps/gateway/src/serving/test-contract.js';
import { startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(120_000);

const accepted = z.looseObject({ job_id: z.string() });
const job = z.looseObject({
  state: z.string(),
  rest: z.looseObject({ reason: z.string(), input_request: z.string() }).nullish(),
  result: z.unknown(),
});
const patient = { withinMs: 30_000 };

describe('a question', () => {
  let outside: OutsideSystem;
  let started: AsyncDisposableStack;
  let asking: string;
  let ann: HttpCaller;

  beforeAll(async () => {
    started = new AsyncDisposableStack();
    outside = started.use(await startOutsideSystem({ gateways: 1, workers: 1 }));
    asking = outside.newName();
    await outside.register({ name: asking, stdio: 'asking', may_ask: ['sampling', 'roots'] });
    ann = await outside.system.caller({ userId: 'ann' });
  }, startTimeoutMs);
  afterAll(async () => started?.disposeAsync());

  const until = async (id: string, ...states: readonly string[]) =>
    eventually(async () => {
      const found = (await ann.get(`/jobs/${id}`)).as(job);
      return states.includes(found.state) && found;
    }, patient);
  const begun = async (tool: string, json: object = {}) => {
    const reply = await ann.request(`/tools/${tool}`, { method: 'POST', json, headers: { prefer: 'respond-async' } });
    expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
    const id = reply.as(accepted).job_id;
    const { rest } = await until(id, 'resting', 'completed', 'failed');
    return { id, question: rest?.input_request ?? '' };
  };
  const say = async (question: string, content: object) => ann.post(`/input-requests/${question}`, { action: 'accept', content });

  describe('whose answer is too large is refused with its field and the bound, and stays open', () => {
    test.each([
      ['where', { roots: Array.from({ length: 10_000 }, (_, n) => `file:///${n}`).join('\n') }, 400, /content\.roots.*1,?000/],
      ['where', { roots: Array.from({ length: 1_001 }, (_, n) => ({ uri: `file:///${n}` })) }, 400, /content\.roots.*1,?000/],
      ['where', { roots: Array.from({ length: 10_000 }, (_, n) => ({ uri: `file:///${n}` })) }, 400, /body has more than 20000 values/],
      ['where', { roots: `file:///${'a'.repeat(5_000)}` }, 400, /content\.roots.*4,?096/],
      ['where', { roots: `file:///${'a'.repeat(1_048_576)}` }, 413, /body.*262144 bytes/],
      ['reckon', { text: 'a'.repeat(5 * 1_048_576) }, 413, /body.*262144 bytes/],
    ])('%s', async (tool, content, status, said) => {
      const { id, question } = await begun(`${asking}__${tool}`);
      const answer = await say(question, content);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(said)]);
      expect((await ann.get(`/input-requests/${question}`)).as(inputRequest).state).toBe('open');
      await ann.delete(`/jobs/${id}`);
    });

    test.each(['auto', 'legacy'] as const)('also of a client in mode %s, whose server hears a no', async (mode) => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities: { roots: {} } });
      client.setRequestHandler('roots/list', () => ({ roots: Array.from({ length: 1_500 }, (_, n) => ({ uri: `file:///${n}` })) }));
      const key = await outside.system.tenant.key({ userId: `bob_${mode}`, scopes: ['tools:read', 'tools:write'] });
      const url = new URL('/mcp?result=data', outside.system.gateway.url);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
      const result = await client.callTool({ name: `${asking}__where`, arguments: {} });
      await client.close();
      expect(JSON.stringify(result)).toContain('rejected the request');
      const bob = new HttpCaller(outside.system.gateway.url, key);
      expect((await bob.get('/input-requests?state=declined&limit=1')).text).toMatch(/"reason":"[^"]*content\.roots[^"]*1,?000/);
    });
  });

  test('that nobody answers in time ends the call, and a late answer is told so', async () => {
    const oauth = started.use(await OAuthServer.start({ redirectUris: [`${outside.system.gateway.url}/connections/callback`] }));
    const provider = {
      issuer: oauth.url,
      client_id: 'invoq',
      client_secret: oauth.clientSecret,
      scopes: ['mail.read'],
      more_scopes: ['mail.*'],
    };
    expect((await outside.admin.request('/providers/mail', { method: 'PUT', json: provider })).status).toBe(201);
    const { url } = (await ann.post('/connections', { provider: 'mail' })).as(connectionAddress);
    expect((await new CookieBrowser().visit(url)).text).toContain('is connected');
    const name = 'mail_tool_late';
    const isServed = Promise.withResolvers<void>();
    const worker = serve({
      tools: [
        handle(contractOf(name, { connection: { provider: 'mail', scopes: ['mail.read'] } }), async (_input, { token }) => ({
          said: (await token({ scopes: ['mail.send'] })).slice(0, 1),
        })),
      ],
      url: outside.system.gateway.url,
      key: await outside.system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
      domain: 'sales',
      stopsOnSignal: false,
      onEvent: (event) => event.kind === 'serving' && event.tools.length > 0 && isServed.resolve(),
    });
    started.defer(() => worker.stop());
    await isServed.promise;
    const calls = [
      { ...(await begun(`${asking}__where`)), content: { roots: 'file:///home' } },
      { ...(await begun(`${asking}__reckon`)), content: { text: '42' } },
      { ...(await begun(name, { text: 'hello' })), content: undefined },
    ];
    const ends = await Promise.all(
      calls.map(async ({ question }) => Date.parse((await ann.get(`/input-requests/${question}`)).as(inputRequest).expires_at)),
    );
    const { clock } = outside.system;
    await clock.advanceTo(Math.min(...ends) - minuteMs);
    for (const { id } of calls) expect((await ann.get(`/jobs/${id}`)).as(job).state).toBe('resting');
    await clock.advanceTo(Math.max(...ends) + minuteMs);
    const late = await Promise.all(
      calls.map(async ({ question, content }) => {
        const { status, text } = await ann.post(`/input-requests/${question}`, { action: 'accept', ...(content && { content }) });
        return [status, /"code":"(\w+)"/.exec(text)?.[1]];
      }),
    );
    expect(late).toEqual(calls.map(() => [410, 'EXPIRED']));
    const [where, reckon, mails] = await Promise.all(calls.map(({ id }) => until(id, 'completed', 'failed', 'cancelled')));
    // The server hears it, and says how its call ends.
    for (const ended of [where, reckon])
      expect(ended?.result).toMatchObject({
        error: { native_code: 'UPSTREAM_REFUSED', message: expect.stringMatching(/Nobody answered .* in time/) },
      });
    expect(mails?.result).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
});
