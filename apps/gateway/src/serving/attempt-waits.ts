import { randomUUID } from 'node:crypto';
import { answeredIn, answerOf, isConnectionStep, type AttemptFrame, type KeptStep, type WorkerMessage } from '#lib/contracts';
import { Failure, type HandlerContext, type StepRecords, type Wait } from '#lib/handlers';

type RestMessage = Extract<WorkerMessage, { type: 'rest' }>;
type Told = NonNullable<AttemptFrame['earlier_steps']>[number];

/**
 * What earlier attempts have kept, as the worker is told. That nobody called a hook or answered a question in time is kept here: what comes later is refused
 * then.
 */
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
  switch (step.kind) {
    case 'step':
      return { name, ...step };
    case 'sleep':
      return { name, kind: 'sleep', over: step.until <= records.now() };
    case 'hook':
    case 'question':
      if (kept.has(answerOf(name))) return null;
      if (step.until > records.now()) return { name, kind: step.kind, state: 'waiting' };
      return answerTold({ name, kind: step.kind }, (await records.keep(answerOf(name), { kind: 'timeout' })) ?? step);
    case 'connection':
      // The gateway's own.
      return null;
    default: {
      const of = answeredIn(name) ?? name;
      if (isConnectionStep(of)) return null;
      return answerTold({ name: of, kind: kept.get(of)?.kind === 'question' ? 'question' : 'hook' }, step);
    }
  }
}

function answerTold({ name, kind }: { readonly name: string; readonly kind: 'hook' | 'question' }, step: KeptStep): Told {
  if (step.kind !== 'answer') return { name, kind, state: 'timeout' };
  return { name, kind, state: kind === 'hook' ? 'called' : 'answered', data: step.data };
}

/** Rests as the worker asks for it, by the gateway's clock. Never resolves. Throws where a name is of another kind, or the caller cannot be asked. */
export async function restAsked({ stepRecords, rest }: HandlerContext<object>, { waits }: RestMessage): Promise<unknown> {
  const [first, ...others] = await Promise.all(waits.map(async (wait) => waitOf(stepRecords, wait)));
  if (!first) throw new TypeError('The worker rests for nothing');
  return rest(first, ...others);
}

async function waitOf(records: StepRecords, wait: RestMessage['waits'][number]): Promise<Wait> {
  const { name, reason, delay_ms = 0 } = wait;
  const until = records.now() + delay_ms;
  switch (reason) {
    case 'sleep':
      return { name, reason, until: (await keptAs(records, name, { kind: 'sleep', until })).until };
    case 'event':
      return { name, reason, until: (await keptAs(records, name, { kind: 'hook', until })).until };
    case 'question': {
      const kept = await keptAs(records, name, { kind: 'question', id: randomUUID(), until });
      const question = { message: wait.message, schema: wait.schema };
      if (!records.ask) throw new Failure('internal', 'Callers cannot be asked here', { retryable: false });
      await records.ask({ ...question, id: kept.id, until: kept.until });
      return { name, reason, until: kept.until, inputRequest: kept.id, question };
    }
  }
}

/** What is kept under a name: the first that was asked for holds. */
async function keptAs<Step extends Extract<KeptStep, { kind: 'sleep' | 'hook' | 'question' }>>(
  records: StepRecords,
  name: string,
  asked: Step,
): Promise<Step> {
  const kept = (await records.earlier()).get(name) ?? (await records.keep(name, asked)) ?? asked;
  if (isSame(kept, asked)) return kept;
  throw new TypeError(`"${name}" is a ${asked.kind} now and was a ${kept.kind} in an earlier attempt`);
}

function isSame<Step extends KeptStep>(kept: KeptStep, asked: Step): kept is Step {
  return kept.kind === asked.kind;
}
