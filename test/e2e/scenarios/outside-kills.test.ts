// Processes are killed while outside servers ask, and while clients listen for their changes.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { inputRequest } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { elicitation, page, resting, sampling } from '../asked.js';
import { inbox, startAccountServer } from '../account-server.js';
import { openListener } from '../listener.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { startPayingServer } from '../paying-server.js';

jest.setTimeout(90_000);

const may_ask = ['sampling', 'roots'];
const patient = { withinMs: 40_000 };

describe('kills', () => {
  let outside: OutsideSystem;
  let ann: HttpCaller;
  /** The same caller at the gateway that nobody kills. */
  let elsewhere: HttpCaller;

  beforeAll(async () => {
    outside = await startOutsideSystem();
    ann = await outside.system.caller({ userId: 'ann' });
    elsewhere = ann.at(outside.system.gateways[1]?.url ?? '');
  }, startTimeoutMs);
  afterAll(async () => outside?.[Symbol.asyncDispose]());

  const asked = async (name: string) => (await ann.post(`/tools/${name}`, { word: 'a' })).as(resting);
  const ended = async (id: string) =>
    eventually(async () => {
      const { text } = await elsewhere.get(`/jobs/${id}`);
      return text.includes('"completed"') && text;
    }, patient);
  const answer = async (question: string, content?: object) =>
    elsewhere.post(`/input-requests/${question}`, { action: 'accept', ...(content && { content }) });

  test('a question survives all workers, the connection, and the gateway that took its call', async () => {
    const { workers, gateways } = outside.system;
    await using model = await outside.withServer([tool('asking')]);
    await using shop = await outside.withServer([tool('asking')]);
    model.server.requests = { word: sampling };
    shop.server.requests = { page: elicitation };
    const command = outside.newName();
    await outside.register({ name: model.name, url: `${model.server.url}/mcp`, may_ask });
    await outside.register({ name: shop.name, url: `${shop.server.url}/mcp` });
    await outside.register({ name: command, stdio: 'asking', may_ask });
    const ofModel = await asked(`${model.name}__asking`);
    const ofShop = await asked(`${shop.name}__asking`);
    const ofCommand = (await ann.post(`/tools/${command}__reckon`, {})).as(resting);

    await outside.system.killWorkers(...workers);
    for (const { server } of [model, shop]) server.breakConnections();
    await gateways[0]?.kill();
    expect((await answer(ofModel.rest.input_request, { text: 'ebb' })).status).toBe(200);
    expect((await answer(ofShop.rest.input_request)).status).toBe(200);
    // The caller of a command answers with the use of a tool.
    const use = { type: 'tool_use', id: 'a', name: 'double', input: { number: 21 } };
    const content = { role: 'assistant', model: 'm', content: [use], stopReason: 'toolUse' };
    const wrong = await answer(ofCommand.rest.input_request, { ...content, content: [{ ...use, input: 7 }] });
    expect([wrong.status, wrong.text.includes('content.content')]).toEqual([400, true]);
    expect((await answer(ofCommand.rest.input_request, content)).status).toBe(200);
    expect((await answer(ofCommand.rest.input_request, content)).status).toBe(409);

    await Promise.all([...workers, ...gateways.slice(0, 1)].map((app) => app.start()));
    expect(await ended(ofModel.job_id)).toContain('ebb');
    expect(await ended(ofShop.job_id)).toContain('accept');
    const next = await eventually(async () => {
      const { text } = await elsewhere.get('/input-requests?state=open');
      const id = new RegExp(`"id":"([^"]+)"(?:(?!"id").)*${ofCommand.job_id}`).exec(text)?.[1];
      return id !== undefined && id !== ofCommand.rest.input_request && id;
    }, patient);
    expect((await answer(next, { text: 'forty-two' })).status).toBe(200);
    expect(await ended(ofCommand.job_id)).toContain('forty-two');
  });

  test('a call goes on at once when its server tells that its user is done, whichever gateways there are by then', async () => {
    await using paying = await startPayingServer(page);
    const at = outside.newName();
    await outside.register({ name: at, url: paying.url });
    const [first] = outside.system.gateways;
    const { job_id, rest } = (await ann.post(`/tools/${at}__order`, {})).as(resting);
    await first?.kill();
    await paying.tell('another');
    await pause(300);
    expect((await elsewhere.get(`/input-requests/${rest.input_request}`)).as(inputRequest).state).toBe('open');
    const since = performance.now();
    await paying.pay();
    expect(await ended(job_id)).toContain('ordered');
    expect(performance.now() - since).toBeLessThan(5_000);
    expect((await elsewhere.get(`/input-requests/${rest.input_request}`)).as(inputRequest)).toMatchObject({
      state: 'accepted',
      reason: `${at} says that it is done`,
    });
    await first?.start();
  });

  test('who listens for changes goes on to hear of them, also with an account', async () => {
    await using mail = await startAccountServer(outside);
    await using files = await outside.withServer([tool('look', { annotations: { readOnlyHint: true } })]);
    files.server.resources = [{ uri: 'file:///a', name: 'a' }];
    await outside.register({ name: files.name, url: `${files.server.url}/mcp` });
    const bob = await mail.userOf('bob');
    await mail.connect(bob);
    const url = new URL('/mcp', outside.system.gateway.url);
    const [ofMail, ofFiles] = await Promise.all([
      openListener(url, { mode: 'auto', key: await mail.keyOf('bob') }),
      openListener(url, { mode: 'legacy', key: await outside.system.tenant.key() }),
    ]);
    await Promise.all([ofMail.listen(inbox), ofFiles.listen(`outside://${files.name}/file:///a`)]);
    await eventually(() => [ofMail, ofFiles].every(({ heard }) => heard.length === 1), patient);
    const { workers, redis } = outside.system;
    const leases = async () => (await redis.keys()).filter((key) => key.includes(':watched:by:'));
    const hearsAgain = async () => {
      const before = [ofMail, ofFiles].map(({ heard }) => heard.length);
      mail.server.update('mail://inbox');
      files.server.update('file:///a');
      await eventually(() => [ofMail, ofFiles].every(({ heard }, index) => heard.length > (before[index] ?? 0)), patient);
    };
    // Whoever listened, the other one does when that one is dead and its lease is over.
    const [one] = workers;
    await one?.kill();
    await redis.redis.del(...(await leases()));
    await hearsAgain();
    await one?.start();
    // Those that are started for workers that have ended need not wait for that.
    await Promise.all(workers.map((worker) => worker.kill()));
    for (const lease of await leases()) await redis.redis.pexpire(lease, 600_000);
    await Promise.all(workers.map((worker) => worker.start()));
    await hearsAgain();
    await Promise.all([ofMail, ofFiles].map(({ client }) => client.close()));
  });
});
