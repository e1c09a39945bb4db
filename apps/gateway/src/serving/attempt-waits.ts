import type { AttemptFrame, KeptStep, WorkerMessage } from '#lib/contracts';
import type { HandlerContext, StepRecords, Wait } from '#lib/handlers';

type RestMessage = Extract<WorkerMessage, { type: 'rest' }>;

/** What earlier attempts have kept, as the worker is told. */
export async function earlierSteps({ earlier, now }: StepRecords): Promise<AttemptFrame['earlier_steps']> {
  const kept = await earlier();
  if (kept.size === 0) return undefined;
  return [...kept].map(([name, step]) => (step.kind === 'step' ? { name, ...step } : { name, kind: step.kind, over: step.until <= now() }));
}

/** Rests as the worker asks for it, by the gateway's clock. Never resolves. Throws where a name is of another kind. */
export async function restAsked({ stepRecords, rest }: HandlerContext<object>, { waits }: RestMessage): Promise<unknown> {
  const [first, ...others] = await Promise.all(waits.map(async (wait) => waitOf(stepRecords, wait)));
  if (!first) throw new TypeError('The worker rests for nothing');
  return rest(first, ...others);
}

async function waitOf(records: StepRecords, { name, reason, delay_ms }: RestMessage['waits'][number]): Promise<Wait> {
  const before = (await records.earlier()).get(name);
  const asked: KeptStep = { kind: 'sleep', until: records.now() + (delay_ms ?? 0) };
  const kept = before ?? (await records.keep(name, asked)) ?? asked;
  if (kept.kind !== 'sleep') throw new TypeError(`"${name}" is a sleep now and was a ${kept.kind} in an earlier attempt`);
  return { name, reason, until: kept.until };
}
