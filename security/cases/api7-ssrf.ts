import { once } from 'node:events';
import { createServer } from 'node:net';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { mustNotHold, refused } from '../expect.js';
import { describe, type Answer } from '../world/answer.js';
import type { World } from '../world/world.js';

/** Addresses by what is wrong with them. */
export const forbidden = {
  'on this machine': [
    'https://localhost/mcp',
    'https://localhost./mcp',
    'https://127.0.0.1:6379/',
    'https://127.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://a.localhost/',
  ],
  'on this machine, as a number': [
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1.',
  ],
  'in a private network': [
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://198.18.0.1/',
    'https://192.0.0.1/',
  ],
  'of the cloud': [
    'https://169.254.169.254/latest/meta-data/',
    'https://metadata.google.internal/',
    'https://[fd00:ec2::254]/',
    'https://instance-data.internal/',
  ],
  'in a private network of IPv6': [
    'https://[fc00::1]/',
    'https://[fd12::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
  ],
  'that hides an address of IPv4 in one of IPv6': [
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
  ],
  'in letters of another script': ['https://①②⑦.⓪.⓪.①/', 'https://127。0。0。1/', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'https://%6cocalhost/'],
  'without encryption': ['http://tools.example/mcp', 'http://93.184.216.34/'],
  'of another scheme': [
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'ftp://tools.example/',
    'redis://127.0.0.1:6379',
    'javascript:1',
    'data:,x',
    '/etc/passwd',
    'tools.example',
  ],
  'with a credential in it': [
    'https://user:password@tools.example/',
    'https://tools.example@127.0.0.1/',
    'https://127.0.0.1#@tools.example/',
  ],
  'with control characters or without bound': [
    'https://tools.example/\r\nHost: x',
    'https://tools.example/\0',
    `https://tools.example/${'x'.repeat(9_000)}`,
    'https://127.0.0.1\t/',
  ],
} as const;

/** A document of a service at this address. */
function describing(url: string): object {
  return { openapi: '3.1.0', info: { title: 'T', version: '1' }, servers: [{ url }], paths: { '/a': { get: { operationId: 'a' } } } };
}

let names = 0;
function register({ admin }: World, wish: object): Promise<Answer> {
  return admin.send('POST /mcp/servers', { json: { name: `ssrf${++names}`, kind: 'mcp', ...wish } });
}

const addresses = casesIn(
  'API7',
  Object.fromEntries(
    Object.entries(forbidden).map(([what, urls]) => [
      `No outside server is registered at an address ${what}`,
      [
        'S61, S64, finding 12',
        async (world: World) => {
          for (const url of urls) {
            refused(await register(world, { url }), [400, 403]);
            refused(await register(world, { url, kind: 'rest' }), [400, 403]);
            refused(await register(world, { url, kind: 'openapi' }), [400, 403]);
            const based = await register(world, { document: describing('https://tools.example'), base_url: url, kind: 'openapi' });
            // Read as a browser does: without line ends, it is a path of the public host that it names.
            if (based.status === 201 && /\p{Cc}/u.test(url)) mustNotHold(based.text, '127.0.0.1', 'the address');
            else refused(based, [400, 403]);
            refused(await register(world, { document: describing(url), kind: 'openapi' }), [400, 403]);
            if (!url.startsWith('https://')) continue;
            const database = url.replace('https://', 'postgres://u:p@');
            refused(
              await register(world, { url: database, kind: 'sql', queries: [{ name: 'q', description: 'q', sql: 'SELECT 1 AS a' }] }),
              [400, 403],
            );
          }
        },
      ] as const,
    ]),
  ),
);

/** Counts who connects to a port of this machine while it is used. */
export async function listening<T>(use: (port: number, connections: () => number) => Promise<T>): Promise<T> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    return await use(typeof address === 'object' && address ? address.port : 0, () => connections);
  } finally {
    server.close();
  }
}

export const ssrfCases = [
  ...addresses,
  ...casesIn('API7', {
    'A name that leads to this machine is not asked': [
      'S61, S62',
      (world) =>
        listening(async (port, connections) => {
          refused(await register(world, { url: `https://inside.example:${port}/mcp` }), [400, 403]);
          must(connections() === 0, 'the worker connected to the address');
        }),
    ],
    'A name that changes its address from a public to a private one is not asked': [
      'S62, not tried: DNS rebinding',
      (world) =>
        listening(async (port, connections) => {
          const url = `https://a${port}.rebind.example:${port}/mcp`;
          // The first look finds a public address where nobody answers; from the second on the name is local.
          for (let tries = 0; tries < 3; tries++)
            refused(await register(world, { url, kind: tries === 1 ? 'rest' : 'mcp' }), [400, 403, 409, 422]);
          must(connections() === 0, 'the worker connected to the private address');
        }),
    ],
    'A refusal does not tell whether a port of this machine is open': [
      'S70',
      (world) =>
        listening(async (port) => {
          const open = await register(world, { url: `https://127.0.0.1:${port}/` });
          const closed = await register(world, { url: 'https://127.0.0.1:1/' });
          const plain = ({ text }: Answer) => text.replaceAll(/trace_\w+|ssrf\d+|inv_\w+|\d+/g, '·');
          must(plain(open) === plain(closed), `they differ: ${describe(open)} and ${describe(closed)}`);
        }),
    ],
    'A command is started only if the operator has named it': [
      'S61, not tried: stdio commands',
      async (world) => {
        for (const stdio of [
          'sh',
          '/bin/sh',
          'node',
          'hostile1; id',
          '../hostile1',
          '__proto__',
          'constructor',
          'toString',
          '',
          '$(id)',
          'HOSTILE1',
        ])
          refused(await register(world, { stdio, tenants: '*' }), [400, 403]);
      },
    ],
    'A registration names either an address or a command, with no arguments or environment of its own': [
      'not tried: stdio commands, S24',
      async (world) => {
        const { command } = world.hostile.take();
        for (const more of [
          { url: 'https://tools.example/' },
          { args: ['-e', '1'] },
          { env: { PATH: '/tmp' } },
          { command: 'sh' },
          { cwd: '/' },
        ])
          refused(await register(world, { stdio: command, tenants: '*', ...more }), 400);
      },
    ],
    'A command is started for all tenants alone, and sees no secret of the worker': [
      'S69, not tried: stdio commands',
      async (world) => {
        const server = world.hostile.take();
        refused(await register(world, { stdio: server.command }), 403);
        refused(await register(world, { stdio: server.command, tenants: '*' }), [201]);
        const seen = server.seen();
        for (const secret of [...world.secrets, 'SEALING_KEYS', 'DATABASE_URL', 'REDIS_URL'])
          mustNotHold(seen, secret, 'the environment of the command');
      },
    ],
    'Headers of a registration stay within HTTP': [
      'S45',
      async (world) => {
        const url = 'https://tools.example/mcp';
        for (const headers of [{ 'a b': 'x' }, { 'x\r\ny': 'z' }, { '': 'x' }, { ok: 'x'.repeat(10_000) }, { __proto__x: 1 }])
          refused(await register(world, { url, headers }), 400);
      },
    ],
    'Nobody but an administrator registers a server': [
      'S61, S11',
      async ({ victim, agent, reader }) => {
        for (const client of [victim, agent, reader])
          refused(await client.send('POST /mcp/servers', { json: { name: 'mine', url: 'https://tools.example/mcp' } }), 403);
      },
    ],
  }),
];
