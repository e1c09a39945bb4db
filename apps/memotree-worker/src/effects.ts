import type { Database, SqlRunner } from '#lib/platform';

interface EffectRun {
  /** Of the invocation: the same over all its attempts. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A key is looked for as long as its invocation can run again. */
const retentionDays = 3;

/**
 * Runs a change in one transaction, once for each key: a second run, after a crash or beside a paused first one, gets the first
 * one's answer. What was cancelled meanwhile leaves nothing behind (MT-11, MT-51).
 */
export async function runOnce<Answer>(
  database: Database,
  { key, signal, timeoutMs }: EffectRun,
  work: (runner: SqlRunner) => Promise<Answer>,
): Promise<Answer> {
  return database.$transaction(
    async (transaction) => {
      const [inserted] = await transaction.$queryRaw<unknown[]>`
        INSERT INTO memotree_effect (key, answer) VALUES (${key}, 'null'::jsonb) ON CONFLICT DO NOTHING RETURNING key`;
      if (!inserted) {
        const [first] = await transaction.$queryRaw<{ answer: Answer }[]>`SELECT answer FROM memotree_effect WHERE key = ${key}`;
        if (first) return first.answer;
        throw new Error('an effect was forgotten while it was asked for');
      }
      const answer = await work(transaction);
      signal.throwIfAborted();
      await transaction.$executeRaw`UPDATE memotree_effect SET answer = ${JSON.stringify(answer)}::jsonb WHERE key = ${key}`;
      return answer;
    },
    { timeout: timeoutMs, maxWait: timeoutMs },
  );
}

export async function deleteOldEffects(runner: SqlRunner): Promise<void> {
  await runner.$executeRaw`DELETE FROM memotree_effect WHERE at < now() - make_interval(days => ${retentionDays}::int)`;
}
