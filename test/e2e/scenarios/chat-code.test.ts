// A chat whose model writes code: what it changes waits for a person, and the answer goes on by itself afterwards.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineTool, inputRequestPage, userScopes } from '#lib/contracts';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { chat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';
import { inProcess } from '../in-process.js';

let orders: string[] = [];
const order = handle(
  defineTool({
    name: 'order_thing',
    version: '1.0.0',
    title: 'Order',
    description: 'Order one thing.',
    domain: 'own-sales',
    effect: 'write',
    input: z.strictObject({ thing: z.string().describe('What is ordered.') }),
    output: z.strictObject({ ordered: z.string() }),
    errors: {},
    timeoutMs: 20_000,
    estimatedTokens: 10,
    examples: [{ input: { thing: 'tea' }, output: { ordered: 'tea' } }],
  }),
  ({ thing }) => {
    orders.push(thing);
    return { ordered: thing };
  },
);

describe('a chat whose model writes code', () => {
  let lab: ChatSystem;
  let skills: SkillFolder;
  let worker: ServedWorker;
  let user: HttpCaller;
  let boss: HttpCaller;
  beforeAll(async () => {
    skills = await makeSkillFolder();
    await skills.write('core', 'Core text.', ['run_code']);
    lab = await startChatSystem({
      inProcess,
      apart: ['more'],
      agents: 2,
      gatewayEnv: { CODE_MODE: 'on' },
      agentEnv: { SKILLS_DIR: skills.path, DRAIN_MS: '200' },
    });
    const { tenant, gateway } = lab.system;
    const serving = Promise.withResolvers<void>();
    worker = serve({
      tools: [order],
      url: gateway.url,
      key: await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
      domain: 'sales',
      stopsOnSignal: false,
      onEvent: ({ kind }) => kind === 'serving' && serving.resolve(),
    });
    await Promise.race([serving.promise, worker.stopped]);
    user = await lab.system.caller({ tier: 'vip' });
    boss = await lab.system.caller({ userId: 'boss', scopes: [...userScopes, 'approvals'] });
  }, startTimeoutMs);
  afterAll(async () => {
    await worker?.stop();
    await lab?.[Symbol.asyncDispose]();
    await skills?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    orders = [];
  });

  /** A chat in which code orders this, and the question about it. */
  async function ordering(thing: string) {
    const code = `const { ordered } = await tools.order_thing({ thing: '${thing}' }); return { told: 'got ' + ordered };`;
    const message = scripted(lab.model, { text: 'I order. ', calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'Told.' });
    await chat(user, { message });
    const { input_requests: open } = (await boss.get('/input-requests?state=open&tool=order_thing')).as(inputRequestPage);
    const asked = open.find(({ arguments: given }) => given?.['thing'] === thing);
    return { message, id: asked?.id ?? '', asked };
  }
  const told = async (message: string): Promise<string> => {
    await eventually(() => lab.model.asked(message).length === 2, { what: 'the next question to the model', withinMs: 30_000 });
    return JSON.stringify(lab.model.asked(message).at(-1));
  };

  test('asks a person before it changes something, and the model is told what came of it', async () => {
    const thing = randomUUID();
    const { message, id, asked } = await ordering(thing);
    expect([asked?.kind, asked?.message, orders]).toEqual(['approval', expect.stringContaining('Code of a model'), []]);
    expect((await boss.post(`/input-requests/${id}`, { action: 'accept' })).status).toBe(200);
    expect(await told(message)).toContain(`got ${thing}`);
    expect(orders).toEqual([thing]);
  });

  test('is told of a no, and nothing has changed', async () => {
    const { message, id } = await ordering(randomUUID());
    await boss.post(`/input-requests/${id}`, { action: 'decline', reason: 'too much' });
    expect(await told(message)).toMatch(/PERMISSION_DENIED.*too much/);
    expect(orders).toEqual([]);
  });

  test.each([
    ['stopped in order', async () => Promise.all(lab.agents.map(async (agent) => agent.stop()))],
    ['killed', async () => Promise.all(lab.agents.map(async (agent) => agent.kill()))],
  ])('goes on when its workers are %s while somebody decides: one effect', async (_how, end) => {
    const thing = randomUUID();
    const { message, id } = await ordering(thing);
    await end();
    expect((await boss.post(`/input-requests/${id}`, { action: 'accept' })).status).toBe(200);
    await eventually(() => orders.length > 0, { what: 'the order' });
    // Another process, and one is enough.
    await lab.agents[0]?.start();
    expect(await told(message)).toContain(`got ${thing}`);
    expect(orders).toEqual([thing]);
  });
});
