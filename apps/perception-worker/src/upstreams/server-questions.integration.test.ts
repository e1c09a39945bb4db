// What outside servers ask in the middle of a call, from the first attempt to the one after the answer. One of the servers is real.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { OutsideServer } from '../../../../test/e2e/outside-server.js';
import { KeptSteps } from './test-steps.js';
import { callUntil, newName, openServices, register, tool, withServer, withStores } from './test-upstreams.js';

withStores();

const first = 'question 1 of the server';
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

describe('an outside server that asks', () => {
  test('over HTTP: the call rests with the question, and goes on with the answer', async () => {
    await using services = openServices();
    await using at = await withServer();
    at.server.tools = [tool('asking')];
    at.server.question = {
      message: 'Which size?',
      requestedSchema: { type: 'object', properties: { size: { type: 'string', enum: ['s', 'm'] } }, required: ['size'] },
    };
    await register(services, { name: at.name, url: at.url });
    const steps = new KeptSteps();
    const call = { server: at.name, name: 'asking', steps };
    const resting = await callUntil(services, call);
    expect(resting).toMatchObject({ kind: 'resting', waits: [{ reason: 'question', name: first }] });
    expect(steps.asked).toMatchObject([
      { message: `${at.name} asks: Which size?`, schema: { properties: { size: { enum: ['s', 'm'] } } } },
    ]);
    // Nobody has answered yet: the same question, and not a second one.
    expect(await callUntil(services, call)).toMatchObject({ kind: 'resting' });
    expect(new Set(steps.asked.map(({ id }) => id)).size).toBe(1);
    steps.answer(first, { action: 'accept', content: { size: 'm' } });
    const done = await callUntil(services, call);
    expect([done.kind, JSON.stringify(done)]).toEqual(['done', expect.stringContaining('m')]);
  });

  test('what nobody can be asked is cancelled, and the caller is told', async () => {
    await using services = openServices();
    await using at = await withServer();
    at.server.tools = [tool('asking')];
    at.server.question = {
      message: 'All of it?',
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, { type: 'string' }])),
      },
    };
    await register(services, { name: at.name, url: at.url });
    const steps = new KeptSteps();
    const done = await callUntil(services, { server: at.name, name: 'asking', steps });
    expect(done).toMatchObject({ kind: 'done', warnings: [expect.stringContaining('its form has more than 50 fields')] });
    expect(steps.asked).toEqual([]);
  });

  const sampling = (text: string) => ({
    method: 'sampling/createMessage' as const,
    params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens: 5 },
  });
  const said = { action: 'accept' as const, content: { role: 'assistant', model: 'm', content: { type: 'text', text: 'waves' } } };

  async function asking(requests: OutsideServer['requests']) {
    const services = openServices();
    const at = await withServer();
    at.server.tools = [tool('asking')];
    at.server.requests = requests;
    await register(services, { name: at.name, url: at.url, may_ask: ['sampling', 'roots'] });
    const steps = new KeptSteps();
    const once = async (): Promise<[string, string]> => {
      const done = await callUntil(services, { server: at.name, name: 'asking', steps });
      return [done.kind, JSON.stringify(done)];
    };
    return {
      steps,
      once,
      server: at.server,
      name: at.name,
      [Symbol.asyncDispose]: async () => {
        await services[Symbol.asyncDispose]();
        await at[Symbol.asyncDispose]();
      },
    };
  }

  test('of the model of a client: the call rests, people see no word of it, and the server has the answer', async () => {
    await using at = await asking({ one: sampling('tell me a secret'), two: { method: 'roots/list' } });
    expect(await at.once()).toMatchObject(['resting', expect.any(String)]);
    expect(at.steps.asked.map(({ message, request }) => [message, request?.method])).toEqual([
      [`${at.name} asks your model for an answer of at most 5 tokens`, 'sampling/createMessage'],
      [`${at.name} asks for your roots: the folders and files that it may work with`, 'roots/list'],
    ]);
    at.steps.answer('sampling 1 of the server', said);
    at.steps.answer('roots 1 of the server', { action: 'accept', content: { roots: [{ uri: 'file:///sea' }] } });
    expect(await at.once()).toEqual(['done', expect.stringMatching(/waves.*file:\/\/\/sea/)]);
  });

  test.each([
    ['decline', 'The user rejected the request'],
    ['cancel', 'Nobody has answered'],
  ] as const)('of 2026 whose question is answered with %s ends its call', async (action, words) => {
    await using at = await asking({ one: sampling('a') });
    await at.once();
    at.steps.answer('sampling 1 of the server', { action });
    expect(await at.once()).toEqual(['refused', expect.stringContaining(words)]);
  });

  test('too often or too much is not passed on', async () => {
    await using often = await asking(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`r${n}`, sampling(`n${n}`)])));
    for (let n = 1; n <= 20; n++) often.steps.answer(`sampling ${n} of the server`, said);
    expect(await often.once()).toEqual(['refused', expect.stringContaining('Nobody has answered')]);
    expect(often.steps.asked).toEqual([]);
    await using large = await asking({ one: sampling('x'.repeat(300_000)) });
    expect(await large.once()).toEqual(['refused', expect.stringContaining('Nobody has answered')]);
  });

  const open = (url: string, message = 'Sign in there') => ({
    method: 'elicitation/create' as const,
    params: { mode: 'url' as const, message, url, elicitationId: 'one' },
  });

  test('that an address is opened: the call rests with it, people see its host alone, and the server hears yes or no', async () => {
    for (const action of ['accept', 'decline'] as const) {
      await using at = await asking({ page: open('https://b\u00fccher.example:8443/in?state=1') });
      expect(await at.once()).toMatchObject(['resting', expect.any(String)]);
      expect(at.steps.asked).toMatchObject([
        {
          message: `${at.name} asks you to open an address at xn--bcher-kva.example:8443, and says: Sign in there`,
          schema: { type: 'object', properties: {} },
          request: { params: { mode: 'url', url: 'https://xn--bcher-kva.example:8443/in?state=1' } },
        },
      ]);
      at.steps.answerLast({ action });
      expect(await at.once()).toEqual(['done', expect.stringContaining(action)]);
    }
  });

  test.each([
    ['javascript:alert(1)', 'must begin with https:// or http://'],
    ['data:text/html,<script>', 'must begin with https:// or http://'],
    ['file:///etc/passwd', 'must begin with https:// or http://'],
    ['https://bank.example@evil.example/', 'no name or password'],
    ['https://evil.example/\u202Egpj.exe', 'cannot be seen'],
    ['https://evil.example/ https://bank.example', 'cannot be seen'],
    [`https://evil.example/${'x'.repeat(2_048)}`, 'more than 2048 characters'],
  ])('that address %# is opened is asked of nobody, and the caller is warned', async (url, why) => {
    await using at = await asking({ page: open(url) });
    expect(await at.once()).toEqual(['done', expect.stringContaining(why)]);
    expect(at.steps.asked).toEqual([]);
  });

  test('that an address of another origin is opened when its call is made again is another question', async () => {
    await using at = await asking({ page: open('https://one.example/a?state=1') });
    await at.once();
    at.steps.answerLast({ action: 'accept' });
    at.server.requests = { page: open('https://two.example/a') };
    expect(await at.once()).toMatchObject(['resting', expect.any(String)]);
    at.server.requests = { page: open('https://one.example/b?state=2') };
    expect(await at.once()).toEqual(['done', expect.stringContaining('accept')]);
    expect(at.steps.asked).toHaveLength(2);
  });

  test('a real one over stdio, that an address is opened: in the call, and before it does anything', async () => {
    const name = newName();
    await using services = openServices({ commands: { [name]: { command: process.execPath, args: [everything, 'stdio'] } } });
    expect(await register(services, { name, stdio: name, tenants: '*' }, ['admin'])).toMatchObject({ kind: 'done' });
    const steps = new KeptSteps();
    const input = { url: 'https://shop.example/pay', message: 'Pay there', errorPath: true };
    const once = async () => callUntil(services, { server: name, name: 'trigger-url-elicitation', steps, input });
    const hosts = () => steps.asked.map(({ message }) => /at (\S+), and/.exec(message)?.[1]);
    expect(await once()).toMatchObject({ kind: 'resting' });
    expect(hosts()).toEqual(['modelcontextprotocol.io']);
    steps.answerLast({ action: 'accept' });
    expect(await once()).toMatchObject({ kind: 'resting' });
    expect(hosts()).toEqual(['modelcontextprotocol.io', 'shop.example']);
    steps.answerLast({ action: 'accept' });
    const done = await once();
    expect([done.kind, JSON.stringify(done)]).toEqual(['done', expect.stringContaining('https://shop.example/pay')]);
  }, 60_000);

  test('a real one over stdio, with every kind of field', async () => {
    const name = newName();
    await using services = openServices({ commands: { [name]: { command: process.execPath, args: [everything, 'stdio'] } } });
    const registered = await register(services, { name, stdio: name, tenants: '*' }, ['admin']);
    expect(registered).toMatchObject({ kind: 'done' });
    const steps = new KeptSteps();
    const call = { server: name, name: 'trigger-elicitation-request', steps };
    expect(await callUntil(services, call)).toMatchObject({ kind: 'resting', waits: [{ reason: 'question' }] });
    expect(steps.asked[0]?.schema.properties).toMatchObject({
      name: { type: 'string' },
      integer: { minimum: 1, maximum: 100 },
      untitledMultipleSelectEnum: { type: 'array', items: { enum: expect.arrayContaining(['Piano']) } },
      titledSingleSelectEnum: { oneOf: expect.arrayContaining([expect.objectContaining({ const: 'hero-2', title: 'Green Lantern' })]) },
    });
    const content = { name: 'Ada', check: true, integer: 7, titledSingleSelectEnum: 'hero-2', untitledMultipleSelectEnum: ['Piano'] };
    steps.answer(first, { action: 'accept', content });
    const done = await callUntil(services, call);
    expect([done.kind, JSON.stringify(done)]).toEqual(['done', expect.stringContaining('Ada')]);
  }, 60_000);
});
