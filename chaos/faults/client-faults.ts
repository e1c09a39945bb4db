// F22 to F24, F27, F32: clients that are slow, many, hostile, in a hurry or change their minds.
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, HttpCaller } from '#lib/testing';
import { cancelled, effect, follow, steps } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';
import { outage } from './in-flight.js';

export const clientFaults: readonly Fault[] = [
  { id: 'F22', title: '400 clients that never finish their requests', inject: dawdle },
  { id: 'F23', title: '1,000 readers of streams, and the kill -9 of their gateway', inject: storm },
  { id: 'F24', title: 'payload bombs', inject: bombs },
  { id: 'F27', title: 'one Idempotency-Key 200 times at two gateways, one killed', inject: sameKey },
  { id: 'F32', title: 'cancelling before, during and after the run; a worker dies', inject: cancelRaces, mayFail: ['cancel'] },
];

/** A gateway's promises: headers within 10 s, the whole request within 30 s, looked at every 5 s; and room for a busy machine. */
const headersWithinMs = 10_000 + 5_000 + 4_000;
const requestWithinMs = 30_000 + 5_000 + 4_000;
const dripMs = 3_000;

async function dawdle(scene: Scene): Promise<Injected> {
  const { system, apiKey } = scene.lab;
  const head = `POST /tools/calc_metrics HTTP/1.1\r\nHost: localhost\r\n`;
  const whole = `${head}Authorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
  const findings: string[] = [];
  const injected = await outage(scene, requestWithinMs, async () => {
    const started = performance.now();
    const slow = (count: number, beginning: string, piece: string) =>
      system.gateways.flatMap(({ url }) => Array.from({ length: count }, () => drip(url, beginning, piece)));
    const kinds = [
      { what: 'half a header', withinMs: headersWithinMs, sockets: slow(150, head, 'X-Slow: 1\r\n') },
      { what: 'half a body', withinMs: requestWithinMs, sockets: slow(50, whole, ' ') },
    ];
    for (const { what, withinMs, sockets } of kinds) {
      const left = () => sockets.filter(({ destroyed }) => !destroyed);
      await eventually(() => left().length === 0, { withinMs: withinMs - (performance.now() - started) }).catch(() => {
        findings.push(`${left().length} of ${sockets.length} connections with ${what} were open after ${withinMs} ms`);
      });
      for (const socket of sockets) socket.destroy();
    }
  });
  return { ...injected, findings };
}

/** Says the beginning, then a little at a time. */
function drip(url: string, beginning: string, piece: string): Socket {
  const { port, hostname } = new URL(url);
  const socket = createConnection({ port: Number(port), host: hostname });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(beginning);
  const timer = setInterval(() => socket.write(piece), dripMs);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

const followed = 20;
const readersOfEach = 50;

async function storm({ lab, load, random }: Scene): Promise<Injected> {
  const jobs = load.burst(Array.from({ length: followed }, () => steps(400, 100)));
  await eventually(() => jobs.every(({ jobId }) => jobId !== null), { withinMs: 30_000, what: 'jobs to follow' });
  const index = random.integer(0, lab.system.gateways.length - 1);
  const victim = lab.system.gateways[index];
  if (!victim) throw new RangeError('No such gateway');
  const readers = load.burst(
    jobs.flatMap((job) => Array.from({ length: readersOfEach }, () => follow(job))),
    index,
  );
  const reading = () => readers.filter(({ events, endedAt }) => events.length > 0 && endedAt === null).length;
  await eventually(() => reading() >= 0.8 * readers.length, { withinMs: 30_000, what: 'most readers reading' });
  const hit = reading();
  const injectedAt = Date.now();
  await victim.kill();
  await victim.start();
  return { injectedAt, healedAt: Date.now(), hit };
}

function bombsOf(): readonly (string | Uint8Array<ArrayBuffer>)[] {
  const valid = '"height_cm":175,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"';
  return [
    '['.repeat(100_000),
    `{${valid},"x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
    `{${valid},"x":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
    `{${valid},"__proto__":{"admin":true}}`,
    `{${valid},"constructor":{"prototype":{"admin":true}}}`,
    `{${valid},"x":"\\u0000"}`,
    `{${valid},"\\u0000":1}`,
    `{${valid},"x":"\\ud800"}`,
    '{"height_cm":1e400,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}',
    '{"height_cm":1e308,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}',
    `{${valid},"x":1e130000}`,
    `{${valid},"x":"${'y'.repeat(10_000_000)}"}`,
    `{${valid},"x":[${'0,'.repeat(60_000)}0]}`,
    `{${valid},${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
    `{${valid}`,
    '',
    'null',
    '"text"',
    new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    new Uint8Array(1_000),
  ];
}

async function bombs(scene: Scene): Promise<Injected> {
  const { lab, random } = scene;
  const findings: string[] = [];
  const injected = await outage(scene, 2_000, async () => {
    const headers = { 'content-type': 'application/json' };
    const callers = lab.system.gateways.map(({ url }) => new HttpCaller(url, lab.apiKey));
    await Promise.all(
      bombsOf().map(async (raw) => {
        const reply = await random
          .pick(callers)
          .request('/tools/calc_metrics', { method: 'POST', headers, raw })
          // A body that is too large may be cut off while it is still being sent.
          .catch(() => null);
        const shown = typeof raw === 'string' ? raw.slice(0, 60) : `${raw.length} bytes`;
        if (reply && (reply.status < 400 || reply.status > 499 || !reply.text.includes('"trace_id"')))
          findings.push(`'${shown}' was answered ${reply.status} ${reply.text.slice(0, 100)}`);
      }),
    );
  });
  return { ...injected, findings };
}

const atOnce = 200;
const mostTries = 100;

async function sameKey({ lab, load, client, random }: Scene): Promise<Injected> {
  const findings: string[] = [];
  // So that all of them wait for it.
  using hold = lab.ledger.hold('after-effect', { match: ({ order }) => order === log?.id });
  const [log] = load.burst([effect()]);
  if (!log) throw new RangeError('No call');
  await eventually(() => lab.ledger.of(log.id).calls.length > 0, { withinMs: 30_000, what: 'the call running' });
  const { gateways, tenant } = lab.system;
  const headers = { 'idempotency-key': log.id };
  const callers = gateways.map(({ url }) => new HttpCaller(url, client.apiKeyOf(log)));
  const jobIds = new Set<string>();
  let open = 0;
  const same = Array.from({ length: atOnce }, async (_, number) => {
    for (let time = number; time < number + mostTries; time++) {
      open += 1;
      const reply = await callers[time % callers.length]?.post('/tools/lab_effect', { order: log.id }, headers).catch(() => null);
      open -= 1;
      const jobId = reply?.status === 200 ? /"job_id":"([^"]+)"/.exec(reply.text)?.[1] : undefined;
      if (jobId !== undefined) return void jobIds.add(jobId);
      await sleep(100);
    }
    findings.push('one of the calls had no answer');
  });
  await eventually(() => open > 0.9 * atOnce, { withinMs: 30_000, what: 'most of them waiting' });
  const hit = open;
  const injectedAt = Date.now();
  const other = random.pick(callers);
  const changed = await other.post('/tools/lab_effect', { order: `${log.id}-other` }, headers);
  if (changed.status !== 422) findings.push(`the key with other parameters was answered ${changed.status}`);
  const stranger = new HttpCaller(gateways[0]?.url ?? '', await tenant.key({ userId: 'user_other' }));
  const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
  const foreign = await stranger.post('/tools/calc_metrics', body, headers);
  if (foreign.status !== 200) findings.push(`the key of another user was answered ${foreign.status}`);
  const victim = random.pick(gateways);
  await victim.kill();
  await victim.start();
  hold.release();
  await Promise.all(same);
  if (jobIds.size !== 1 || !jobIds.has(log.jobId ?? [...jobIds][0] ?? '')) findings.push(`one key made the jobs ${[...jobIds].join(', ')}`);
  return { injectedAt, healedAt: Date.now(), hit, findings };
}

const ofEach = 30;
const abortedWithinMs = 2_000;

async function cancelRaces({ lab, load, random }: Scene): Promise<Injected> {
  // At once, in the middle, and after the end (the work takes ten seconds).
  const some = () => [0, random.integer(50, 300), random.integer(500, 2_000)].map((afterMs) => cancelled(afterMs));
  const plans = () => Array.from({ length: ofEach / 3 }, some).flat();
  const findings: string[] = [];
  const first = load.burst(plans());
  await eventually(() => first.every(({ endedAt }) => endedAt !== null), { withinMs: 30_000, what: 'the end of what was cancelled' });
  for (const { id, endedAt } of first) {
    const { notes } = lab.ledger.of(id);
    const started = notes.some(({ note }) => note === 'started');
    const aborted = notes.find(({ note }) => note === 'aborted');
    if (started && (!aborted || aborted.at - (endedAt ?? 0) > abortedWithinMs)) findings.push(`${id} ran on after it was cancelled`);
  }
  const victim = random.pick(lab.system.workers);
  const second = load.burst(plans());
  await eventually(() => second.filter(({ jobId }) => jobId !== null).length >= 20, { withinMs: 30_000, what: 'calls to cancel' });
  const hit = second.filter(({ endedAt }) => endedAt === null).length;
  const injectedAt = Date.now();
  await victim.kill();
  await victim.start();
  return { injectedAt, healedAt: Date.now(), hit, findings };
}
