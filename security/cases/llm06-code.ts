// Code of a model: it has what its caller has, it changes nothing by itself, and it reaches nothing outside.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const ended = z.looseObject({ data: z.looseObject({ result: z.unknown() }) });
const resting = z.looseObject({ job_id: z.string(), state: z.literal('resting'), rest: z.looseObject({ input_request: z.string() }) });

const run = async (by: Client, code: string, more: object = {}) => by.send('POST /tools/run_code', { json: { code, ...more } });
const resultOf = async (by: Client, code: string): Promise<string> => JSON.stringify(as(served(await run(by, code)), ended).data.result);

export const codeCases = casesIn('LLM06', {
  'Code of a model reads nothing of another user, and has no tool that its caller has not': [
    'S82, S85, S88',
    async ({ neighbour, reader, newClient, canary }) => {
      const read = `return tools.user_profile_lookup({ user_id: 'user_001' }).catch(({ code }) => code)`;
      const got = await resultOf(neighbour, read);
      mustNotHold(got, canary, 'what the code returned');
      must(got === '"PERMISSION_DENIED"', `a profile of another user gave ${got}`);
      const inside = ['run_code', 'chat_turn', 'register_mcp_server', 'get_result', '__proto__', 'constructor'];
      must(
        (await resultOf(neighbour, `return ${JSON.stringify(inside)}.filter((name) => name in tools)`)) === '[]',
        'it has tools of the inside',
      );
      must((await resultOf(reader, `return 'create_node' in tools`)) === 'false', 'code of a reader has a tool that writes');
      const narrow = await newClient({ tools: ['run_code', 'calc_metrics'] });
      must((await resultOf(narrow, 'return Object.keys(tools)')) === '["calc_metrics"]', 'code has tools beyond those of its key');
    },
  ],
  'Code of a model changes nothing before a person approves, and nothing after it was declined': [
    'S85, S93',
    async ({ victim, newClient }) => {
      const title = `code-${randomUUID()}`;
      const { job_id: id, rest } = as(served(await run(victim, `return tools.create_node({ title: '${title}' })`)), resting);
      const search = { query: title, searchType: 'FullText' };
      const found = async () =>
        served(await victim.send('POST /tools/search_nodes', { json: search, headers: { 'cache-control': 'no-cache' } })).text.includes(
          '"nodeId"',
        );
      must(!(await found()), 'the node is there before anybody approved it');
      refused(await victim.send(`POST /input-requests/${rest.input_request}`, { json: { action: 'accept' } }), 403);
      const boss = await newClient({ userId: 'boss', scopes: ['tools:read', 'tools:write', 'approvals'] });
      served(await boss.send(`POST /input-requests/${rest.input_request}`, { json: { action: 'decline' } }));
      const job = served(await victim.send(`GET /jobs/${id}?wait=20`)).text;
      must(job.includes('PERMISSION_DENIED') && !(await found()), `after a no, the code ended with ${job.slice(0, 300)}`);
    },
  ],
  'Code of a model has no way out of its interpreter': [
    'S82, S85',
    async ({ neighbour }) => {
      const ways = [
        `this.constructor.constructor('return typeof process')()`,
        `new Function('return typeof require + typeof process + typeof fetch')()`,
        `(await tools.calc_metrics({}).catch((e) => e.constructor.constructor('return typeof process')()))`,
        `await import('node:fs').then(() => 'loaded', () => 'undefined')`,
        `tools.calc_metrics.constructor === undefined ? 'undefined' : tools.calc_metrics.constructor('return typeof process')()`,
      ];
      for (const way of ways) {
        const answer = await run(neighbour, `return ${way}`);
        must(/"result":"(undefined)+"|CODE_THREW/.test(answer.text), `${way} gave ${answer.text.slice(0, 300)}`);
      }
    },
  ],
  'Code of a model costs its own run alone': [
    'S53, S86',
    async ({ neighbour }) => {
      const hostile = [
        'for (;;);',
        'const all = []; for (;;) all.push(new Array(1e5).fill(all))',
        'const f = () => f() + 1; f()',
        'for (;;) await tools.calc_metrics({}).catch(() => 0)',
      ];
      const answers = Promise.all(hostile.map(async (code) => run(neighbour, code)));
      must((await resultOf(neighbour, 'return 1 + 1')) === '2', 'other code did not run beside it');
      for (const answer of await answers) refused(answer, 400, 'INVALID_PARAMS');
    },
  ],
});
