// Our own call over HTTP. Every answer is checked: it belongs to this call, and it was computed or cached as intended.
import { z } from 'zod';
import type { Call, Driver, Target } from './call.js';
import { HttpConnection, postHead } from './http-connection.js';
import { newWeight, parametersOf } from './parameters.js';

const answerShape = z.object({
  success: z.literal(true),
  data: z.object({ bmi: z.number() }),
  metadata: z.object({ cache: z.object({ hit: z.boolean() }), attempts: z.number().optional(), job_id: z.string().optional() }),
});

/** Parameters never seen before, so each call goes through cache, queue, worker and back. */
export async function openUncachedCall(target: Target, callers: number): Promise<Driver> {
  return open(target, callers, {
    parameters: () => parametersOf(newWeight()),
    check: ({ metadata }, jobs) => {
      const { cache, attempts, job_id: jobId } = metadata;
      if (cache.hit) throw new Error('an answer from the cache where a computed one was meant');
      if (attempts !== 1) throw new Error(`${attempts ?? 'no'} attempts where one was meant`);
      if (!jobId || jobs.has(jobId)) throw new Error('an answer without a job of its own');
      jobs.add(jobId);
    },
  });
}

/** The same parameters again and again. */
export async function openCachedCall(target: Target, callers: number): Promise<Driver> {
  const parameters = parametersOf(70, 31);
  const driver = await open(target, callers, {
    parameters: () => parameters,
    check: ({ metadata }, jobs) => {
      // The first answer fills the cache.
      if (!metadata.cache.hit && jobs.size > 0) throw new Error('a computed answer where one from the cache was meant');
      if (!metadata.cache.hit) jobs.add(metadata.job_id ?? '');
    },
  });
  await driver.calls[0]?.();
  return driver;
}

interface Plan {
  readonly parameters: () => { readonly weight_kg: number; readonly height_cm: number };
  /** @param jobs the jobs that answers so far came from */
  readonly check: (answer: z.infer<typeof answerShape>, jobs: Set<string>) => void;
}

async function open({ gatewayUrl, apiKey }: Target, callers: number, { parameters, check }: Plan): Promise<Driver> {
  const head = postHead(`${gatewayUrl}/tools/calc_metrics`, { authorization: `Bearer ${apiKey}` });
  const connections = await Promise.all(Array.from({ length: callers }, () => HttpConnection.open(gatewayUrl)));
  const jobs = new Set<string>();
  const calls = connections.map((connection): Call => async () => {
    const given = parameters();
    const text = await connection.post(head, JSON.stringify(given));
    const answer = answerShape.parse(JSON.parse(text));
    const bmi = given.weight_kg / (given.height_cm / 100) ** 2;
    if (Math.abs(answer.data.bmi - bmi) > 0.0051)
      throw new Error(`somebody else's answer: a BMI of ${answer.data.bmi}, not ${bmi.toFixed(2)}`);
    check(answer, jobs);
  });
  return {
    calls,
    workerRuns: () => jobs.size,
    [Symbol.asyncDispose]: async () => connections.forEach((connection) => connection[Symbol.dispose]()),
  };
}
