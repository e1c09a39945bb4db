import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import { describe, type Answer } from '../world/answer.js';
import type { Client } from '../world/client.js';
import { meta, withTasks } from '../../test/e2e/mcp-messages.js';
import { claimsOf } from '../world/credentials.js';

const revision = '2026-07-28';
const envelope = z.looseObject({
  result: z.looseObject({ structuredContent: z.looseObject({ data: z.looseObject({ user_id: z.string(), age: z.number() }) }) }),
});

const called = z.looseObject({ metadata: z.looseObject({ trace_id: z.string(), job_id: z.string() }) });

interface Message {
  readonly method: string;
  readonly params?: object;
  readonly id?: unknown;
  /** Of the address. */
  readonly query?: string;
}

/** A message of the newest revision, with changed headers where they are given. */
export function mcp(
  client: Client,
  { method, params = {}, id = 1, query = '' }: Message,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const named = z.looseObject({ name: z.string().optional(), uri: z.string().optional(), taskId: z.string().optional() }).parse(params);
  const name = named.taskId ?? named.name ?? named.uri;
  return client.send(`POST /mcp${query}`, {
    json: { jsonrpc: '2.0', id, method, params: { _meta: meta(), ...params } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
  });
}

const list = { method: 'tools/list' };
const lookup = { method: 'tools/call', params: { name: 'user_profile_lookup', arguments: { user_id: 'user_001' } } };

/** An error of the protocol, or a result that is one. */
export function mcpError(answer: Answer): Answer {
  must(/"error":\{|"isError":true/.test(answer.text), `no error: ${describe(answer)}`);
  return answer;
}

export const mcpCases = casesIn('MCP', {
  'A client without a credential is told where to get one': [
    'S72',
    async ({ nobody }) => {
      const answer = refused(await mcp(nobody, list), 401);
      must(
        /resource_metadata="https?:\/\//.test(answer.headers.get('www-authenticate') ?? ''),
        `no resource_metadata: ${answer.headers.get('www-authenticate')}`,
      );
    },
  ],
  'A page of another origin does not reach it': [
    'S71',
    async ({ victim }) => {
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://', 'https://localhost.evil.example'])
        refused(await mcp(victim, list, { origin }), 403);
    },
  ],
  'Another name of the server does not reach it (DNS rebinding)': [
    'S71',
    async ({ victim }) => {
      for (const host of ['evil.example', 'evil.example:3000', '127.0.0.1.evil.example', 'localhost.evil.example'])
        refused(await mcp(victim, list, { host }), 403);
    },
  ],
  'Another spelling of its path goes around neither check': [
    'finding 1, S71',
    async ({ victim }) => {
      const headers = { accept: 'application/json, text/event-stream' };
      const json = { jsonrpc: '2.0', id: 1, ...list };
      for (const target of ['/%6dcp', '/mc%70', '//mcp', '/mcp/', '/MCP', '/x/../mcp', '/%6Dcp?x=1', 'http://127.0.0.1/mcp', '/mcp;x']) {
        refused(await victim.send(`POST ${target}`, { json, headers: { ...headers, origin: 'https://evil.example' } }), [400, 403, 404]);
        refused(await victim.send(`POST ${target}`, { json, headers: { ...headers, host: 'evil.example' } }), [400, 403, 404]);
      }
    },
  ],
  'A token for another audience is refused': [
    'S72',
    async (world) => {
      const token = await world.issuer.sign(claimsOf(world, { aud: 'https://another.example/mcp' }));
      refused(await mcp(world.nobody.with({ authorization: `Bearer ${token}` }), list), 401);
    },
  ],
  'A task of another is not found, read or cancelled': [
    'S74',
    async ({ neighbour, stranger, objects }) => {
      for (const client of [neighbour, stranger])
        for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result', 'tasks/update'])
          mcpError(await mcp(client, { method, params: { taskId: objects.jobId, _meta: withTasks } }));
    },
  ],
  'Headers that differ from the message are refused': [
    'S75',
    async ({ victim }) => {
      refused(await mcp(victim, lookup, { 'mcp-name': 'calc_metrics' }), 400);
      refused(await mcp(victim, lookup, { 'mcp-method': 'tools/list' }), 400);
      refused(await mcp(victim, lookup, { 'mcp-name': 'x\r\nset-cookie: a=1' }), 400);
    },
  ],
  'An unknown revision is refused': [
    'S75',
    async ({ victim }) => {
      for (const version of ['1999-01-01', 'latest', '2026-07-28 ']) {
        const answer = await mcp(victim, list, { 'mcp-protocol-version': version });
        must(answer.status === 400 || version.trim() === revision, describe(answer));
      }
    },
  ],
  'An unknown method is an error of the protocol': [
    'S75',
    async ({ victim }) => {
      for (const method of ['nothing', '__proto__', 'constructor', 'tools/list/', 'sampling/createMessage'])
        mcpError(await mcp(victim, { method }));
    },
  ],
  'A session id gives nothing, and is given to nobody': [
    'S73',
    async ({ victim, nobody }) => {
      const answer = await mcp(victim, list, { 'mcp-session-id': 'guessed' });
      must(!answer.headers.has('mcp-session-id'), 'a session id was given');
      refused(await mcp(nobody, list, { 'mcp-session-id': 'guessed' }), 401);
    },
  ],
  'Clients with the same message ids get each their own result': [
    'S76',
    async ({ victim, stranger, canary }) => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const isVictim = index % 2 === 0;
          return { isVictim, answer: served(await mcp(isVictim ? victim : stranger, lookup)) };
        }),
      );
      for (const { isVictim, answer } of answers) {
        as(answer, envelope);
        must(answer.text.includes(canary) === isVictim, `a result of another: ${describe(answer)}`);
      }
    },
  ],
  'Batches, odd ids and messages without a form are refused': [
    'S77',
    async ({ victim }) => {
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision };
      const wrong = [
        '[]',
        `[${JSON.stringify({ jsonrpc: '2.0', id: 1, ...list })}]`,
        '{}',
        '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        '{"id":1,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1e308,"method":1}',
        '"x"',
        'null',
      ];
      for (const body of wrong) {
        const answer = await victim.send('POST /mcp', { body, headers });
        must(answer.status >= 400 || /"error":\{/.test(answer.text), `it was taken: ${describe(answer)}`);
      }
    },
  ],
  'GET and DELETE are refused where there are no sessions': [
    'S80',
    async ({ victim }) => {
      for (const method of ['GET', 'DELETE'])
        refused(
          await victim.send(`${method} /mcp`, { headers: { accept: 'text/event-stream', 'mcp-protocol-version': revision } }),
          [400, 405],
        );
    },
  ],
  'A list names the tools for everybody, and none of the inside': [
    'S81',
    async ({ victim, stranger }) => {
      for (const client of [victim, stranger])
        mustNotHold(served(await mcp(client, list)).text, /"name":"(chat_turn|register_mcp_server)"/, 'the list');
    },
  ],
  'A key that may read calls no tool that writes': [
    'S11, S85',
    async ({ reader }) => {
      for (const [name, args] of Object.entries({
        create_node: { title: 'x', content: 'y' },
        discard_changes: {},
        import_documents: { collection: 'c', documents: [] },
      }))
        mcpError(await mcp(reader, { method: 'tools/call', params: { name, arguments: args } }));
    },
  ],
  "Another user's profile is refused": [
    'S26',
    async ({ neighbour }) => mustNotHold(mcpError(await mcp(neighbour, lookup)).text, '"medical_conditions":[', 'the answer'),
  ],
  'Tools of the inside are not called': [
    'S81',
    async ({ admin }) => {
      for (const name of ['chat_turn', '__proto__', 'constructor', 'toString'])
        mcpError(await mcp(admin, { method: 'tools/call', params: { name, arguments: {} } }));
    },
  ],
  'Resources are skills, and no file beside them': [
    'S16, S93',
    async ({ victim }) => {
      for (const uri of [
        'skill://bazi/../../package.json',
        'skill://bazi/%2e%2e/%2e%2e/package.json',
        'skill://bazi/..%2f..%2fpackage.json',
        'file:///etc/passwd',
        'skill:///etc/passwd',
        'skill://bazi/SKILL.md%00',
        'skill://__proto__/SKILL.md',
      ])
        mustNotHold(mcpError(await mcp(victim, { method: 'resources/read', params: { uri } })).text, /"dependencies"|root:x:0/, uri);
    },
  ],
  'A skill that is there can be read': [
    'S16',
    async ({ victim }) => void served(await mcp(victim, { method: 'resources/read', params: { uri: 'skill://bazi/SKILL.md' } })),
  ],
  'Arguments with a prototype, NUL or depth are refused': [
    'S51, finding 11',
    async ({ victim }) => {
      const headers = { accept: 'application/json, text/event-stream' };
      const message = (args: string) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calc_metrics","arguments":${args}}}`;
      for (const args of ['{"__proto__":{"polluted":true}}', '{"a":"\\u0000"}', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`]) {
        const answer = await victim.send('POST /mcp', { body: message(args), headers });
        mcpError(answer);
        mustNotHold(answer.text, '"polluted":true', 'the answer');
      }
    },
  ],
  'A trace that a message names is joined, and shows nothing of another': [
    'finding 7',
    async ({ stranger, victim }) => {
      // A call of this case alone: the stranger has spans of his own in its trace from now on.
      const json = { height_cm: 181, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
      const { metadata } = as(served(await victim.send('POST /tools/calc_metrics', { json })), called);
      const trace = `GET /traces/${metadata.trace_id}`;
      const w3c = `${metadata.trace_id.split('_').at(-1)}${'0'.repeat(20)}`;
      await mcp(stranger, { method: 'tools/list', params: { _meta: { ...meta(), traceparent: `00-${w3c}-00f067aa0ba902b7-01` } } });
      await eventually(async () => (await victim.send(trace)).status === 200, { what: 'the trace of the call' });
      mustNotHold((await stranger.send(trace)).text, metadata.job_id, 'what the stranger sees of the trace');
    },
  ],
  'The document about authorization names this server and its scopes, and no secret': [
    'S72',
    async ({ nobody }) => {
      const { resource } = as(
        served(await nobody.send('GET /.well-known/oauth-protected-resource')),
        z.looseObject({ resource: z.string() }),
      );
      must(resource.endsWith('/mcp'), `the resource is ${resource}`);
    },
  ],
});
