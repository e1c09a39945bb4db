// Very many workers at one gateway: what they cost while they only wait, and whether a call still goes through.
import { RawWorker } from '#lib/testing';

/** How many connect at the same time. */
const atOnce = 20;

const contract = {
  name: 'one_of_many',
  version: '1.0.0',
  title: 'One of many',
  description: 'Say which worker has answered.',
  input: { type: 'object', properties: { n: { type: 'integer', description: 'Any.' } }, required: ['n'], additionalProperties: false },
  output: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
  effect: 'write',
  timeout_ms: 20_000,
  examples: [{ input: { n: 1 }, output: { n: 1 } }],
};

export interface ManyWorkers extends Disposable {
  /** Of one `POST /workers` until its tool may be called, in ms. */
  readonly connectMs: readonly number[];
  readonly allMs: number;
  /** What one more was told. */
  readonly refusal: string;
}

/** Connects so many with one key. They answer what they are asked, once. */
export async function connectMany(count: number, at: { readonly url: string; readonly key: string }): Promise<ManyWorkers> {
  const workers: RawWorker[] = [];
  const connectMs: number[] = [];
  const started = performance.now();
  const connectSome = async (): Promise<void> => {
    while (workers.length + connecting < count) {
      connecting += 1;
      const began = performance.now();
      const worker = await RawWorker.connect({ ...at, tools: [contract], concurrency: 1 });
      connecting -= 1;
      connectMs.push(performance.now() - began);
      workers.push(worker);
      void answerAll(worker);
    }
  };
  let connecting = 0;
  await Promise.all(Array.from({ length: atOnce }, connectSome));
  const allMs = performance.now() - started;
  const refusal = await RawWorker.connect({ ...at, tools: [contract] }).then(
    (worker) => (worker.cut(), 'it was let in'),
    (error: unknown) => String(error),
  );
  return { connectMs, allMs, refusal, [Symbol.dispose]: () => workers.forEach((worker) => worker.cut()) };
}

async function answerAll(worker: RawWorker): Promise<void> {
  try {
    for (;;) {
      const { attempt, input } = await worker.nextAttempt();
      await worker.send([{ type: 'done', attempt, data: input }]);
    }
  } catch {
    // It was cut off.
  }
}
