// `npm run bench:agent`: what the product adds to a model: time to the first word, rate of words, many chats at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { availableParallelism } from 'node:os';
import { ModelServer } from '#lib/testing';
import { runScript, say as tell, step } from '../../../scripts/say.js';
import { rssMbOf } from '../../system/usage.js';
import { say } from '../chat-client.js';
import { startChatBench } from '../system.js';

const firstWordMs = 100;
const wordMs = 20;
const words = 100;
const rounds = 60;
const many = 200;
/** What the first word may come later than the model's own, at the median. */
const aimMs = 15;

await runScript(async () => {
  await using model = await ModelServer.start();
  const text = Array.from({ length: words }, (_, index) => `word${index} `);
  model.on('speed', { text: ['hello'], delayMs: firstWordMs });
  model.on('rate', { text, pieceMs: wordMs });
  await using bench = await step('Stores and processes', () =>
    startChatBench({
      workers: ['profile-worker'],
      withKnowledge: false,
      env: { MODEL: 'scripted', MODEL_BASE_URL: model.url, RATE_LIMIT_VIP: '1000000', WORKER_CONCURRENCY: '256' },
    }),
  );
  tell(
    `Node ${process.version}, ${availableParallelism()} processors; the model waits ${firstWordMs} ms, then says a word every ${wordMs} ms`,
  );
  for (let turn = 0; turn < 20; turn++) await say(bench.url, bench.apiKey, { message: 'speed warm-up' });

  const direct = await timesOf(() => askDirectly(model.url, 'speed'));
  const through = await timesOf(async () => (await say(bench.url, bench.apiKey, { message: 'speed' })).firstWordMs ?? Number.NaN);
  const added = median(through) - median(direct);
  tell(
    `first word: model alone ${ms(median(direct))}, through the product ${ms(median(through))} (p95 ${ms(quantile(through, 0.95))}), added ${ms(added)}`,
  );

  const alone = await askWhole(model.url, 'rate');
  const one = await say(bench.url, bench.apiKey, { message: 'rate' });
  tell(`rate of one chat: model alone ${rate(alone)}, through the product ${rate(one.totalMs - (one.firstWordMs ?? 0))} words a second`);

  const before = rssMbOf(bench.agentPid) ?? 0;
  let peak = before;
  const watch = new AbortController();
  const watching = (async () => {
    while (!watch.signal.aborted) {
      peak = Math.max(peak, rssMbOf(bench.agentPid) ?? 0);
      await sleep(100);
    }
  })();
  const start = performance.now();
  const chats = await Promise.all(Array.from({ length: many }, () => say(bench.url, bench.apiKey, { message: 'rate' })));
  const wholeMs = performance.now() - start;
  watch.abort();
  await watching;
  const firsts = chats.map((chat) => chat.firstWordMs ?? Number.NaN);
  const whole = chats.filter((chat) => chat.text === text.join('') && !chat.error).length;
  const spoken = chats.map((chat) => chat.totalMs - (chat.firstWordMs ?? 0));
  tell(`${many} chats at once on one worker: ${whole} whole, in ${(wholeMs / 1_000).toFixed(1)} s`);
  tell(`  first word p50 ${ms(median(firsts))}, p95 ${ms(quantile(firsts, 0.95))}; rate p50 ${rate(median(spoken))} words a second a chat`);
  tell(
    `  memory of the worker: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most, ${(((peak - before) * 1_024) / many).toFixed(0)} KB a chat`,
  );
  const faults = [
    ...(added > aimMs ? [`the first word comes ${ms(added)} later, more than ${aimMs} ms`] : []),
    ...(whole < many ? [`${many - whole} chats are not whole`] : []),
  ];
  for (const fault of faults) tell(`AIM MISSED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
});

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
  throw new Error('the model said nothing');
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
