import { casesIn } from '../case.js';
import { clientError, mustNotHold, refused, served } from '../expect.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const forgotten = [
  '/.git/config',
  '/.env',
  '/package.json',
  '/dist/apps/gateway/src/main.js',
  '/main.js.map',
  '/debug/pprof',
  '/server-status',
  '/actuator/env',
  '/graphql',
  '/swagger',
  '/api-docs',
  '/admin',
  '/json/list',
  '/heapdump',
  '/process/report',
  '/v1/keys',
  '/internal/jobs',
];

export const inventoryCases = casesIn('API9', {
  'Nothing but the listed routes is served': [
    'S42, S93',
    async ({ nobody, admin }) => {
      for (const path of forgotten) {
        refused(await nobody.send(`GET ${path}`), 401);
        refused(await admin.send(`GET ${path}`), 404);
      }
    },
  ],
  'Files of the server are reached by no path': [
    'S93',
    async ({ admin, victim }) => {
      for (const path of [
        '/docs/migrations/..%2f..%2fpackage',
        '/docs/migrations/%2e%2e%2f%2e%2e%2fREADME',
        '/docs/../package.json',
        '/admin/queues/static/..%2f..%2fpackage.json',
        '/files/..%2f..%2fetc%2fpasswd',
      ])
        for (const client of [admin, victim]) {
          const answer = await client.send(`GET ${path}`);
          mustNotHold(answer.text, /"dependencies"|root:x:0|npm start/, path);
        }
    },
  ],
  'Probes tell nobody versions or addresses': [
    'S01, S93',
    async ({ nobody, system }) => {
      for (const url of [system.gateway.url, ...system.more.map(({ url }) => url)])
        for (const path of ['/healthz', '/readyz']) {
          const response = await fetch(url + path);
          mustNotHold(await response.text(), /\d+\.\d+\.\d+|postgres:\/\/|redis:\/\//, `${path} of ${url}`);
        }
      served(await nobody.send('GET /healthz'));
    },
  ],
  'Workers serve probes and metrics, and nothing else': [
    'S93, S94',
    async ({ system }) => {
      for (const { url } of [...system.workers, ...system.more])
        for (const path of ['/jobs', '/tools', '/admin/queues', '/keys', '/%00', '/../package.json']) {
          const response = await fetch(url + path);
          if (response.status < 400) throw new Error(`${path} of a worker answered ${response.status}`);
          mustNotHold(await response.text(), /\n\s+at |node_modules/, 'the answer of a worker');
        }
    },
  ],
  'A version that does not exist is never served by another one': [
    'S91',
    async ({ stranger }) => {
      for (const name of [
        'calc_metrics@99',
        'calc_metrics@0',
        'calc_metrics@^99',
        'calc_metrics@',
        'calc_metrics@latest@1',
        'calc_metrics@%00',
        'calc_metrics@1e9',
      ])
        clientError(await stranger.send(`POST /tools/${name}`, { json: metrics }));
    },
  ],
  'A tool is found by its names alone, not by a spelling like them': [
    'S91, S99',
    async ({ stranger }) => {
      for (const name of ['CALC_METRICS', 'calc-metrics', ' calc_metrics', 'calc_metrics%20', 'calc_metrics%0a', 'cal\u0441_metrics'].map(
        (one) => encodeURI(one).replaceAll('%25', '%'),
      ))
        refused(await stranger.send(`POST /tools/${name}`, { json: metrics }), [400, 404]);
    },
  ],
  'Tools of the inside are in no list': [
    'S81',
    async ({ stranger, admin }) => {
      for (const client of [stranger, admin])
        for (const line of ['GET /tools', 'POST /tools/list', 'GET /openapi.json', 'GET /tools?format=mcp', 'GET /docs'])
          mustNotHold((await client.send(line)).text, /"name":"(chat_turn|register_mcp_server)"|"#chat_turn"/, line);
    },
  ],
});
