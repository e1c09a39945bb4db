import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, clientError, refused, served } from '../expect.js';
import { makeKey } from '../world/credentials.js';
import type { World } from '../world/world.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
/** How long work on a stranger's text may take, and how long others may wait for it, on a machine that is busy with other things. */
const patienceMs = 15_000;

/** Markdown that made parsers start again at each character. */
const hostileTexts = {
  'nested lists': `# a\n${'- '.repeat(8_000)}`,
  'nested quotations': `# a\n${'> '.repeat(8_000)}`,
  'a section of blanks': `# a\n${' '.repeat(40_000)}x`,
  'link endings without end': `# a\n[a](${'.md#'.repeat(10_000)}`,
  'open brackets': `# a\n${'['.repeat(30_000)}`,
  'emphasis without end': `# a\n${'*a_'.repeat(15_000)}`,
  'table cells': `# a\n|${'a|'.repeat(15_000)}\n|${'-|'.repeat(15_000)}`,
  'HTML openings': `# a\n${'<a '.repeat(15_000)}`,
} as const;

/** Sends a head, and after it 200 MB at most. @returns bytes of the body that were taken before the connection was closed */
async function takenOfBody(url: string, line: string, length: string): Promise<number> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // It is cut while it sends.
  socket.on('error', () => undefined).resume();
  socket.write([line, `Host: ${host}`, 'Content-Type: application/json', length, '', ''].join('\r\n'));
  let sent = 0;
  while (!socket.destroyed && sent < 200_000_000) {
    sent += piece.length;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  socket.destroy();
  return sent;
}

/** The attacker's text is refused or read in time, and another tenant's call beside it is served in time. */
async function freezesNobody({ stranger, neighbour }: World, text: string): Promise<void> {
  const started = performance.now();
  const headers = { 'x-session-id': 'freezer' };
  const json = { files: [{ path: 'a.md', content: text }] };
  const attack = stranger.send('POST /tools/import_markdown', { json, headers, allows: [503, 504, 500] });
  served(await neighbour.send('POST /tools/render_view', { json: {}, headers: { 'x-session-id': 'other' } }));
  const waited = performance.now() - started;
  await attack;
  must(waited < patienceMs, `another tenant waited ${Math.round(waited)} ms`);
  const took = performance.now() - started;
  must(took < 2 * patienceMs, `the text was worked on for ${Math.round(took)} ms`);
}

const freezing = casesIn(
  'API4',
  Object.fromEntries(
    Object.entries(hostileTexts).map(([what, text]) => [
      `Markdown of ${what} freezes nobody`,
      ['finding 5, S52', (world: World) => freezesNobody(world, text)] as const,
    ]),
  ),
);

const wrongNumbers = ['1e400', '-1', '0', '1e308', '9007199254740993', '"175"', 'null', 'true', '[]', '175.0000000001e300'];

export const consumptionCases = [
  ...freezing,
  ...casesIn('API4', {
    'A body beyond the limit is refused, however the URL is spelled': [
      'finding 1, S54',
      async ({ stranger }) => {
        const body = `{"a":"${'x'.repeat(300_000)}"}`;
        for (const target of [
          '/tools/calc_metrics',
          '/tools/calc_metrics?/chat/v5/',
          '/tools/calc_metrics?x=/tools/import_documents',
          '/tools/%63alc_metrics',
        ])
          refused(await stranger.send(`POST ${target}`, { body, allows: [0] }), [413, 0]);
      },
    ],
    'A body without a length is cut at the limit': [
      'S54',
      async ({ stranger, system }) => {
        const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
        const head = `POST /tools/calc_metrics HTTP/1.1\r\nHost: ${new URL(system.gateway.url).host}\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: ${stranger.headers['authorization']}\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const answer = await stranger.sendRaw(head + chunk.repeat(160), { allows: [0] });
        must([0, 413].includes(answer.status), `a body of 10 MB was answered ${answer.status}`);
      },
    ],
    'A body that is refused is not read': [
      'S54',
      async ({ system }) => {
        for (const line of ['POST /chat/v5/guest/stream', 'POST /tools/calc_metrics', 'POST /mcp', 'GET /healthz'])
          for (const length of ['Content-Length: 1000000000', 'Transfer-Encoding: chunked']) {
            const taken = await takenOfBody(system.gateway.url, `${line} HTTP/1.1`, length);
            // What the buffers of two systems hold.
            must(taken < 50_000_000, `${line} took ${taken} bytes of a body with ${length}`);
          }
      },
    ],
    'A compressed body is not unpacked': [
      'S54',
      async ({ stranger }) => {
        for (const encoding of ['gzip', 'br', 'deflate'])
          refused(
            await stranger.send('POST /tools/calc_metrics', { body: '\x1f\x8b\x08\x00', headers: { 'content-encoding': encoding } }),
            [400, 415],
          );
      },
    ],
    'A body with too many values is refused': [
      'S53',
      async ({ stranger }) => void refused(await stranger.send('POST /tools/calc_metrics', { body: `[${'1,'.repeat(60_000)}1]` }), 400),
    ],
    'A number that is none of the allowed ones is refused': [
      'S58',
      async ({ stranger }) => {
        for (const number of wrongNumbers) {
          const body = JSON.stringify(metrics).replace('175', number);
          refused(await stranger.send('POST /tools/calc_metrics', { body }), 400);
        }
      },
    ],
    'A limit or a wait beyond its range is refused or cut': [
      'S58',
      async ({ stranger, objects, victim }) => {
        for (const limit of ['0', '-1', '1e9', '1000000000', 'NaN', '%00', '1;2', ''])
          refused(await stranger.send(`GET /jobs?limit=${limit}`), [400, 200]);
        for (const wait of ['-1', '61', '1e9', 'x']) refused(await victim.send(`GET /jobs/${objects.jobId}?wait=${wait}`), [200, 400]);
      },
    ],
    'A batch of more than fifty calls is refused': [
      'S86, S99',
      async ({ stranger }) => {
        const calls = Array.from({ length: 51 }, (_, id) => ({ id, name: 'calc_metrics', arguments: metrics }));
        refused(await stranger.send('POST /tools/batch', { json: { calls } }), 400);
        refused(await stranger.send('POST /tools/batch', { json: { calls: [] } }), 400);
      },
    ],
    'The rate of a free credential is limited, and the refusal says when to come back': [
      'S86, S99',
      async (world) => {
        const { client } = await makeKey(world, { tier: 'free', user_id: 'user_free' });
        const answers = await Promise.all(Array.from({ length: 150 }, () => client.send('POST /tools/calc_metrics', { json: metrics })));
        const limited = answers.filter(({ status }) => status === 429);
        must(limited.length > 0, 'of 150 calls at once none was limited');
        must(
          limited.every(({ headers }) => headers.has('retry-after')),
          'a refusal without Retry-After',
        );
      },
    ],
    'Doors and spellings of a tool share one budget': [
      'S99',
      async (world) => {
        const { client } = await makeKey(world, { tier: 'free', user_id: 'user_free2' });
        const lines = [
          'POST /tools/calc_metrics',
          'POST /tools/calc_metrics/',
          'POST /aurawell/calc_metrics',
          'POST /tools/CalcMetrics',
          'POST /tools/%63alc_metrics',
        ];
        const answers = await Promise.all(
          Array.from({ length: 160 }, (_, index) => client.send(lines[index % lines.length] ?? '', { json: metrics })),
        );
        must(
          answers.some(({ status }) => status === 429),
          'of 160 calls through five spellings none was limited',
        );
      },
    ],
    'A filter without matches does not read everything': [
      'finding 12',
      async ({ victim }) => {
        const started = performance.now();
        const { jobs } = as(served(await victim.send('GET /jobs?tool=zzz')), z.looseObject({ jobs: z.array(z.unknown()) }));
        must(jobs.length === 0, 'a tool that does not exist has jobs');
        must(performance.now() - started < patienceMs, 'the list took too long');
      },
    ],
    'A result is bounded': [
      'S87',
      async ({ stranger }) => {
        const content = `# a\n\n${'word '.repeat(60_000)}`;
        clientError(
          await stranger.send('POST /tools/generate_report', { json: { title: 'x', content: content.repeat(4), format: 'html' } }),
        );
      },
    ],
    'Headers beyond 16 KiB are refused': [
      'S16',
      async ({ stranger }) => void refused(await stranger.send('GET /tools', { headers: { 'x-big': 'x'.repeat(20_000) } }), [413, 431]),
    ],
    'An oversized idempotency key, session or trace id is refused or left out': [
      'S45, S50',
      async ({ stranger }) => {
        refused(await stranger.send('POST /tools/calc_metrics', { json: metrics, headers: { 'idempotency-key': 'k'.repeat(300) } }), 400);
        clientError(await stranger.send('POST /memotree/render_view', { json: {}, headers: { 'x-session-id': 's'.repeat(5_000) } }));
        served(await stranger.send('GET /tools', { headers: { 'x-trace-id': `trace_${'x'.repeat(500)}` } }));
      },
    ],
  }),
];
