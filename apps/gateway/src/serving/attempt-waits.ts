import { answeredIn, answerOf, type AttemptFrame, type KeptStep, type WorkerMessage } from '#lib/contracts';
import type { HandlerContext, StepRecords, Wait } from '#lib/handlers';

type RestMessage = Extract<WorkerMessage, { type: 'rest' }>;
type Told = NonNullable<AttemptFrame['earlier_steps']>[number];

/** What earlier attempts have kept, as the worker is told. That nobody called a hook in time is kept here: a body that comes later is refused then. */
export async function earlierSteps(records: StepRecords): Promise<AttemptFrame['earlier_steps']> {
  const kept = await records.earlier();
  if (kept.size === 0) return undefined;
  const told = await Promise.all([...kept].map(async ([name, step]) => toldOf(records, { kept, name, step })));
  return told.filter((one) => one !== null);
}

async function toldOf(
  records: StepRecords,
  { kept, name, step }: { readonly kept: ReadonlyMap<string, KeptStep>; readonly name: string; readonly step: KeptStep },
): Promise<Told | null> {
  const hook = answeredIn(name);
  if (hook !== null) return answerTold(hook, step);
  switch (step.kind) {
    case 'step':
      return { name, ...step };
    case 'sleep':
      return { name, kind: 'sleep', over: step.until <= records.now() };
    default:
      if (kept.has(answerOf(name))) return null;
      if (step.kind === 'hook' && step.until > records.now()) return { name, kind: 'hook', state: 'waiting' };
      return answerTold(name, (await records.keep(answerOf(name), { kind: 'timeout' })) ?? step);
  }
}

function answerTold(name: string, step: KeptStep): Told {
  return step.kind === 'answer' ? { name, kind: 'hook', state: 'called', data: step.data } : { name, kind: 'hook', state: 'timeout' };
}

/** Rests as the worker asks for it, by the gateway's clock. Never resolves. Throws where a name is of another kind. */
export async function restAsked({ stepRecords, rest }: HandlerContext<object>, { waits }: RestMessage): Promise<unknown> {
  const [first, ...others] = await Promise.all(waits.map(async (wait) => waitOf(stepRecords, wait)));
  if (!first) throw new TypeError('The worker rests for nothing');
  return rest(first, ...others);
}

async function waitOf(records: StepRecords, { name, reason, delay_ms }: RestMessage['waits'][number]): Promise<Wait> {
  const kind = reason === 'event' ? 'hook' : 'sleep';
  const before = (await records.earlier()).get(name);
  const asked = { kind, until: records.now() + (delay_ms ?? 0) } as const;
  const kept = before ?? (await records.keep(name, asked)) ?? asked;
  if (kept.kind !== kind) throw new TypeError(`"${name}" is a ${kind} now and was a ${kept.kind} in an earlier attempt`);
  return { name, reason, until: kept.until };
}
