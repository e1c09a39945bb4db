// `npm run bench:agent`: what the product adds to a model: time to the first word, rate of words, many chats at once.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ModelServer } from '#lib/testing';
import { print, runScript, step } from '#lib/command-line';
import { cpuMsOf, machineCpuMs, rssMbOf } from '../../system/usage.js';
import { sendMessage } from '../chat-client.js';
import { startChatBench, type ChatBench } from '../system.js';

const firstWordMs = 100;
const wordMs = 20;
const words = 100;
const rounds = 60;
const many = 200;
/** A user without quotas. */
const userId = 'vip_u';
/** The product may add this much to the model's own time to the first word, at the median. */
const aimMs = 8;

const help = `What the product adds to a model: time to the first word, rate of words, ${many} chats at once. Takes about three minutes.

  npm run bench:agent
`;

await runScript(async () => {
  parseArgs({ options: {} });
  await using model = await ModelServer.start();
  const text = Array.from({ length: words }, (_, index) => `word${index} `);
  model.on('speed', { text: ['hello'], delayMs: firstWordMs });
  model.on('rate', { text, pieceMs: wordMs });
  await using bench = await step('Stores and processes', () =>
    startChatBench({
      withKnowledge: false,
      env: { MODEL: 'scripted', MODEL_BASE_URL: model.url, RATE_LIMIT_VIP: '1000000', WORKER_CONCURRENCY: '256' },
    }),
  );
  print(
    `Node ${process.version}, ${availableParallelism()} processors; the model waits ${firstWordMs} ms, then says a word every ${wordMs} ms`,
  );
  const user = { ...bench, userId };
  for (let turn = 0; turn < 20; turn++) await sendMessage(user, { message: 'speed warm-up' });

  const direct = await timesOf(() => askDirectly(model.url, 'speed'));
  const before: number[] = [];
  const through = await timesOf(async () => {
    const start = performance.now();
    const { firstWordMs } = await sendMessage(user, { message: 'speed' });
    before.push((model.requests.at(-1)?.at ?? Number.NaN) - start);
    return firstWordMs ?? Number.NaN;
  });
  const added = median(through) - median(direct);
  print(
    `first word: model alone ${ms(median(direct))}, through the product ${ms(median(through))} (p95 ${ms(quantile(through, 0.95))}), added ${ms(added)}`,
  );
  print(`  the model is asked after ${ms(median(before))} (p95 ${ms(quantile(before, 0.95))})`);

  const alone = await askWhole(model.url, 'rate');
  const one = await sendMessage(user, { message: 'rate' });
  print(`rate of one chat: model alone ${rate(alone)}, through the product ${rate(one.totalMs - (one.firstWordMs ?? 0))} words a second`);

  const crowd = await crowdOf(bench, text.join(''));
  print(`${many} chats of ${many} users at once on one worker: ${crowd.whole} whole, in ${(crowd.tookMs / 1_000).toFixed(1)} s`);
  for (const [fault, count] of crowd.faults) print(`  ${count} times: ${fault}`);
  print(
    `  first word p50 ${ms(median(crowd.firsts))}, p95 ${ms(quantile(crowd.firsts, 0.95))}; rate p50 ${rate(median(crowd.spoken))}, slowest ${rate(quantile(crowd.spoken, 1))} words a second a chat`,
  );
  print(
    `  memory of the worker: ${crowd.beforeMb.toFixed(0)} MB before, ${crowd.peakMb.toFixed(0)} MB at most, ${(((crowd.peakMb - crowd.beforeMb) * 1_024) / many).toFixed(0)} KB a chat`,
  );
  print(`  processor: agent worker ${crowd.agentCpuMs} ms, gateway ${crowd.gatewayCpuMs} ms, machine ${crowd.machineCpuMs} ms`);
  const faults = [
    ...(added > aimMs ? [`the first word comes ${ms(added)} later, more than ${aimMs} ms`] : []),
    ...(crowd.whole < many ? [`${many - crowd.whole} chats are not whole`] : []),
  ];
  for (const fault of faults) print(`AIM MISSED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}, help);

interface Crowd {
  readonly whole: number;
  /** Fault messages of the other chats, with their counts. */
  readonly faults: ReadonlyMap<string, number>;
  readonly tookMs: number;
  readonly firsts: readonly number[];
  /** ms from the first word to the end. */
  readonly spoken: readonly number[];
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly agentCpuMs: number;
  readonly gatewayCpuMs: number;
  readonly machineCpuMs: number;
}

/** Many chats that begin at the same moment, each of a user of its own. */
async function crowdOf({ url, apiKey, agentPid, gatewayPid }: ChatBench, expected: string): Promise<Crowd> {
  const beforeMb = rssMbOf(agentPid) ?? 0;
  const cpu = () => [cpuMsOf(agentPid) ?? 0, cpuMsOf(gatewayPid) ?? 0, machineCpuMs()] as const;
  const [agentCpu, gatewayCpu, machineCpu] = cpu();
  let peakMb = beforeMb;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, rssMbOf(agentPid) ?? 0)), 100);
  const start = performance.now();
  const chats = await Promise.allSettled(
    Array.from({ length: many }, (_, user) => sendMessage({ url, apiKey, userId: `bench_${user}` }, { message: 'rate' })),
  );
  const tookMs = performance.now() - start;
  clearInterval(watch);
  const [agentAfter, gatewayAfter, machineAfter] = cpu();
  const answers = chats.flatMap((chat) => (chat.status === 'fulfilled' ? [chat.value] : []));
  const faults = chats.flatMap((chat) => {
    if (chat.status === 'rejected') return [chat.reason instanceof Error ? chat.reason.message.slice(0, 300) : 'rejected'];
    const { error, text } = chat.value;
    if (error) return [`${error.type}: ${error.message}`];
    return text === expected
      ? []
      : [text === '' ? 'no word came' : text.length < expected.length ? 'words are missing' : 'words are doubled'];
  });
  const counts = new Map<string, number>();
  for (const fault of faults) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return {
    whole: many - faults.length,
    faults: counts,
    tookMs,
    firsts: answers.flatMap(({ firstWordMs }) => firstWordMs ?? []),
    spoken: answers.flatMap(({ totalMs, firstWordMs }) => (firstWordMs === null ? [] : totalMs - firstWordMs)),
    beforeMb,
    peakMb,
    agentCpuMs: agentAfter - agentCpu,
    gatewayCpuMs: gatewayAfter - gatewayCpu,
    machineCpuMs: machineAfter - machineCpu,
  };
}

async function timesOf(work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await work());
  return times;
}

/** ms to the first word when the model is asked without us. */
async function askDirectly(url: string, message: string): Promise<number> {
  const start = performance.now();
  const body = await streamOf(url, message);
  for await (const piece of body) {
    if (!Buffer.from(piece).includes('"content":"')) continue;
    const took = performance.now() - start;
    return took;
  }
  throw new Error('the model gave no answer');
}

/** ms from the first word to the end. */
async function askWhole(url: string, message: string): Promise<number> {
  const body = await streamOf(url, message);
  let first = 0;
  for await (const _ of body) first ||= performance.now();
  return performance.now() - first;
}

async function streamOf(url: string, message: string): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: message }] }),
  });
  if (!response.body) throw new Error('no stream');
  return response.body;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function rate(tookMs: number): string {
  return (words / (tookMs / 1_000)).toFixed(1);
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
