// The cases of the protocol, in the order in which they run. Each says what a worker has to do.
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolNames, until, type Bench } from './bench.js';
import { connects, says } from './caller.js';
import { fieldOf, hold, same } from './check.js';
import { answers, beginning, completes, completesAgain, dataOf, endsOf, filed, rests, silent, stepsOf, stopped } from './outcomes.js';

export interface Case {
  readonly id: string;
  readonly holds: string;
  /** Throws NotHeld, or whatever stood in the way. */
  readonly run: (bench: Bench) => Promise<void>;
}

/** The gateway asks for one in 5 s and waits for 15. */
const longestSilenceMs = 10_000;
const exitWithinMs = 15_000;

export const cases: readonly Case[] = [
  {
    id: 'contracts',
    holds: 'it says contracts that the gateway takes, and they are listed',
    async run({ proxy, user }) {
      const served = toolNames.map((name) => `${name}@1.0.0`);
      await until(`served tools ${served.join(' and ')}`, () =>
        proxy.heard('tools').find(({ data }) => isDeepStrictEqual(data, { served })),
      );
      for (const name of toolNames) same((await user.get(`/tools/${name}`)).status, 200, `the status of /tools/${name}`);
    },
  },
  {
    id: 'success',
    holds: 'an attempt is run and its result is the answer of the call',
    run: async (bench) => answers(bench),
  },
  {
    id: 'refusal',
    holds: 'a refusal is told with a literal of the contract',
    async run({ user }) {
      const { status, body } = await user.post('/tools/conformance', { act: 'refuse' });
      same([status, fieldOf(body, 'error', 'native_code')], [404, 'NO_SUCH_THING'], 'status and error');
    },
  },
  {
    id: 'retryable',
    holds: 'a failure of the service is tried again, under one effect key',
    async run({ user }) {
      const { body } = await user.post('/tools/conformance', { act: 'fail_once' });
      same(dataOf(body), { effect_key: fieldOf(body, 'metadata', 'job_id'), attempt: 2 }, 'the data');
    },
  },
  {
    id: 'bug',
    holds: 'an error that nobody expected is told with its cause, and the worker lives on',
    async run(bench) {
      const started = await bench.start('bug');
      same((await bench.ended(started)).state, 'failed', 'the state of the job');
      const { message } = bench.proxy.saidOf(started.attempt).find(({ message: { type } }) => type === 'failed') ?? {};
      hold(typeof fieldOf(message, 'cause', 'message') === 'string', 'it told no failure with a cause');
      await answers(bench);
    },
  },
  {
    id: 'progress',
    holds: 'progress reaches the caller',
    async run({ user }) {
      const { text } = await user.post('/tools/conformance/sse', { act: 'progress' });
      hold(/"progress":50,"message":"half"/.test(text), 'the stream has no progress of 50 with the message "half"');
    },
  },
  {
    id: 'log',
    holds: 'a log line is sent',
    async run(bench) {
      const started = await bench.start('log');
      await bench.ended(started);
      const log = bench.proxy.saidOf(started.attempt).find(({ message: { type } }) => type === 'log')?.message;
      same([log?.['level'], log?.['message']], ['info', 'a line'], 'level and message of the log line');
    },
  },
  {
    id: 'cancel',
    holds: 'work whose call is cancelled stops',
    async run(bench) {
      const started = await bench.start('wait');
      await beginning(bench, started);
      same((await bench.user.delete(`/jobs/${started.jobId}`)).status, 202, 'the status of the cancellation');
      await stopped(bench, started);
    },
  },
  {
    id: 'deadline',
    holds: 'work that takes longer than its time limit stops',
    async run(bench) {
      const started = await bench.start('wait', 'conformance_short');
      same(fieldOf((await bench.ended(started)).result, 'error', 'code'), 'TIMEOUT', 'the error');
      await stopped(bench, started);
    },
  },
  {
    id: 'lost-connection',
    holds: 'after a lost connection it drops what ran there, connects again and takes the call again',
    async run(bench) {
      const started = await bench.start('work');
      await beginning(bench, started);
      bench.proxy.cut();
      await completesAgain(bench, started);
      await stopped(bench, started);
    },
  },
  {
    id: 'lost-end',
    holds: 'the end of an attempt is sent until it is confirmed',
    async run(bench) {
      bench.proxy.losesEnds = 2;
      await completes(bench, await bench.start('answer'), 1);
    },
  },
  {
    id: 'step',
    holds: 'what a step gave is told, and a later attempt has it without doing it again',
    async run(bench) {
      const started = await bench.start('step_then_fail');
      await completes(bench, started, 1);
      same(await stepsOf(bench, started), ['first'], 'the steps that it told');
    },
  },
  {
    id: 'rest',
    holds: 'a tool that sleeps ends its attempt, and runs again from its top afterwards',
    run: async (bench) => rests(bench, 'rest'),
  },
  {
    id: 'rest-caught',
    holds: 'so does a tool that catches everything',
    run: async (bench) => rests(bench, 'rest_caught'),
  },
  {
    id: 'question',
    holds: 'a tool that asks its caller ends its attempt, and goes on with what the caller says',
    async run(bench) {
      const started = await bench.start('ask');
      await says(bench, started, { action: 'accept', content: { number: 7 } });
      await completes(bench, started, 7);
      same(endsOf(bench, started), ['rest'], 'the ends of the first attempt');
    },
  },
  {
    id: 'question-declined',
    holds: 'so does one whose caller says no',
    async run(bench) {
      const started = await bench.start('ask');
      await says(bench, started, { action: 'decline' });
      await completes(bench, started, 0);
    },
  },
  {
    id: 'account',
    holds: 'a tool whose contract names a provider gets a token of its caller',
    async run(bench) {
      await connects(bench, 'seven77');
      await completes(bench, await bench.start('token', 'conformance_account'), 7);
    },
  },
  {
    id: 'cost',
    holds: 'what a tool reports as its cost is summed over all attempts',
    async run({ user }) {
      const { body } = await user.post('/tools/conformance', { act: 'cost' });
      same([fieldOf(body, 'data', 'attempt'), fieldOf(body, 'metadata', 'cost', 'micros')], [2, 24], 'attempts and cost');
    },
  },
  {
    id: 'file',
    holds: 'a file of the answer is sent in pieces, each after the word that the one before is taken',
    async run(bench) {
      const started = await bench.start('file');
      const file = await filed(bench, started);
      same([fieldOf(file, 'filename'), fieldOf(file, 'size_bytes')], ['zeros.bin', 600_000], 'name and size of the file');
      const { pathname, search } = new URL(String(fieldOf(file, 'url')));
      const { status, text } = await bench.user.get(pathname + search);
      same([status, text.length], [200, 600_000], 'what its link gives');
    },
  },
  {
    id: 'lost-piece',
    holds: 'a piece is sent until the word comes that it is taken',
    async run(bench) {
      bench.proxy.losesFiles = 1;
      same(fieldOf(await filed(bench, await bench.start('file')), 'size_bytes'), 600_000, 'the size of the file');
    },
  },
  {
    id: 'lost-kept',
    holds: 'a step is sent until it is said to be kept, and nothing is done before',
    async run(bench) {
      bench.proxy.losesKept = 1;
      const started = await bench.start('rest');
      await completes(bench, started, 1);
      same(await stepsOf(bench, started), ['first', 'first'], 'the steps that it told');
    },
  },
  {
    id: 'duplicate',
    holds: 'an attempt that is delivered twice is run once',
    async run(bench) {
      bench.proxy.deliversTwice = true;
      const started = await bench.start('work');
      await completes(bench, started, 1);
      bench.proxy.deliversTwice = false;
      await sleep(silent.afterMs);
      same(bench.proxy.saidOf(started.attempt).filter(({ message: { type } }) => type === 'done').length, 1, 'the number of its ends');
    },
  },
  {
    id: 'unknown',
    holds: 'what it does not know is ignored: comments, events, fields',
    async run(bench) {
      bench.proxy.inject(': a comment\n\nevent: a_later_event\ndata: {"a":1}\n\n');
      const { length } = bench.proxy.connections;
      await answers(bench);
      same(bench.proxy.connections.length, length, 'the number of its connections');
    },
  },
  {
    id: 'gateway-drains',
    holds: 'when the gateway is about to stop it connects again, and what runs ends over the old connection',
    async run(bench) {
      const { proxy } = bench;
      const old = proxy.connection;
      const started = await bench.start('work');
      proxy.inject('event: drain\ndata: {}\n\n');
      await until('a second connection', () => proxy.connection !== old);
      hold(old.isOpen, 'it has left the old connection');
      await completes(bench, started, 1);
      proxy.cut(old);
      await answers(bench);
    },
  },
  {
    id: 'gateway-killed',
    holds: 'when its gateway is killed it connects to another, and the call goes on there',
    async run(bench) {
      const started = await bench.start('work');
      await beginning(bench, started);
      bench.moveTo(1);
      await bench.system.gateway.kill();
      await bench.system.redis.expireLocks();
      await completesAgain(bench, started);
    },
  },
  {
    id: 'heartbeat',
    holds: 'it is never silent for long',
    async run({ proxy }) {
      const begin = performance.now();
      await sleep(longestSilenceMs);
      const times = [begin, ...proxy.postsAtMs.filter((at) => at > begin), performance.now()];
      const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
      hold(longest < longestSilenceMs - 1_000, `it said nothing for ${Math.round(longest)} ms`);
    },
  },
  {
    id: 'drain',
    holds: 'at SIGTERM it says that it drains, ends what runs, and exits with 0',
    async run(bench) {
      const { proxy, worker } = bench;
      const started = await bench.start('work');
      await beginning(bench, started);
      const exit = once(worker, 'exit', { signal: AbortSignal.timeout(exitWithinMs) }).catch(() => ['nothing: it runs on']);
      worker.kill('SIGTERM');
      await completes(bench, started, 1);
      same((await exit)[0], 0, 'its exit code');
      hold(proxy.said.some(({ message: { type } }) => type === 'drain'), 'it did not say drain'); // prettier-ignore
    },
  },
];
