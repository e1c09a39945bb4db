import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { refused, served } from '../expect.js';
import { describe } from '../world/answer.js';

const boardParts = [
  '/admin/queues',
  '/admin/queues/',
  '/admin/queues/api/queues?activeQueue=agent&status=completed&page=1&jobsPerPage=2',
  '/admin/queues/static/js/main.js',
];
const boardMutations = [
  '/api/queues/agent/retry/all',
  '/api/queues/agent/clean/completed',
  '/api/queues/agent/pause',
  '/api/queues/agent/promote',
  '/api/queues/agent/empty',
  '/api/queues/agent/add',
];
const spelled = (path: string): readonly string[] => [
  path.replace('/admin', '/%61dmin'),
  path.replace('/queues', '/%71ueues'),
  `/${path}`,
  path.replace('/queues', '//queues'),
  path.replace('/admin', '/x/../admin'),
  path.replace('/admin', '/./admin'),
  path.replace('/admin', '/ADMIN'),
  path.replace('/admin', '/admin;a=b'),
  path.replace('/admin/', '/admin%2f'),
  `http://127.0.0.1${path}`,
  `http://evil.example${path}`,
];

export const functionCases = casesIn('API5', {
  'The board is for administrators, however its parts are spelled': [
    'finding 1, S92',
    async ({ victim, nobody, powerless }) => {
      for (const path of boardParts)
        for (const target of [path, ...spelled(path)]) {
          refused(await nobody.send(`GET ${target}`), [400, 401, 404]);
          for (const client of [victim, powerless]) refused(await client.send(`GET ${target}`), [400, 403, 404]);
        }
    },
  ],
  'The board changes nothing, not even for an administrator': [
    'S92',
    async ({ admin }) => {
      for (const path of boardMutations)
        for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
          const answer = await admin.send(`${method} /admin/queues${path}`, { json: {} });
          must(answer.status >= 400, `the board obeyed: ${describe(answer)}`);
        }
    },
  ],
  'The board is framed by no page': [
    'S92',
    async ({ admin }) => {
      const policy = served(await admin.send('GET /admin/queues')).headers.get('content-security-policy') ?? '';
      must(policy.includes("frame-ancestors 'none'"), `its policy is ${policy}`);
    },
  ],
  'A key that may read calls no tool that writes': [
    'S11, S85',
    async ({ reader }) => {
      const calls = {
        create_node: { title: 'x', content: 'y' },
        import_documents: { collection: 'c', documents: [{ path: 'a.md', content: 'x' }] },
        discard_changes: {},
        commit_changes: { message: 'x' },
      };
      for (const [tool, json] of Object.entries(calls)) {
        for (const line of [`POST /tools/${tool}`, `POST /tools/${tool}/sse`]) {
          const answer = await reader.send(line, { json });
          must(answer.status === 403 || answer.text.includes('PERMISSION_DENIED'), `it wrote: ${describe(answer)}`);
        }
        refused(await reader.send('POST /tools/call', { json: { name: tool, arguments: json } }), 403);
        const batch = served(await reader.send('POST /tools/batch', { json: { calls: [{ id: 1, name: tool, arguments: json }] } }));
        must(batch.text.includes('PERMISSION_DENIED'), `it wrote in a batch: ${describe(batch)}`);
      }
    },
  ],
  'A key without the scope makes no Stripe link': [
    'S11',
    async (world) => {
      const client = await world.newClient({ scopes: ['tools:read', 'tools:write'] });
      refused(await client.send('POST /tools/express_dashboard_login_link', { json: { stripe_account_id: 'acct_ok' } }), 403);
      refused(await client.send('POST /stripe/express_dashboard_login_link', { json: { stripe_account_id: 'acct_ok' } }), 403);
    },
  ],
  'A tool that changes something is not called by GET': [
    'S11, finding 8',
    async ({ victim }) => {
      for (const tool of ['discard_changes', 'create_node', 'express_dashboard_login_link', 'import_documents'])
        refused(await victim.send(`GET /tools/${tool}/sse?title=x`), [400, 405]);
    },
  ],
  'Tools of the inside are called by nobody from outside': [
    'S11, S81',
    async ({ admin, victim }) => {
      for (const tool of ['chat_turn', 'chat_turn@1', 'ChatTurn'])
        for (const client of [victim, admin]) refused(await client.send(`POST /tools/${tool}`, { json: {} }), 404);
      refused(
        await victim.send('POST /tools/register_mcp_server', { json: { name: 'mine', url: 'https://tools.example/mcp' } }),
        [403, 404],
      );
    },
  ],
  'An administrator who acts for a user is one no longer': [
    'S11',
    async ({ newClient }) => {
      const root = await newClient({ userId: null, scopes: ['*'] });
      const acting = root.with({ 'x-user-id': 'user_other' });
      for (const path of ['/keys', '/metrics', '/admin/queues', '/mcp/servers']) refused(await acting.send(`GET ${path}`), 403);
      refused(await acting.send('POST /tools/user_profile_lookup', { json: { user_id: 'user_001' } }), 403);
    },
  ],
  'Keys are made by nobody but administrators': [
    'S11',
    async ({ victim, agent, reader, system }) => {
      const json = { tenant_id: system.tenant.id, tier: 'vip', scopes: ['*'] };
      for (const client of [victim, agent, reader]) refused(await client.send('POST /keys', { json }), 403);
    },
  ],
});
