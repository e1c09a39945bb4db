import type { Database, SqlRunner } from '#lib/platform';

interface EffectRun {
  /** The key of the invocation, the same for all its attempts. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Keys are kept as long as their invocation may run again. */
const retentionDays = 3;

/**
 * Runs a change in one transaction, once per key. A second run, after a crash or concurrently with a stalled first one, returns the
 * answer of the first. A change that was cancelled meanwhile is rolled back (MT-11, MT-51).
 */
export async function runOnce<Answer>(
  database: Database,
  { key, signal, timeoutMs }: EffectRun,
  work: (runner: SqlRunner) => Promise<Answer>,
): Promise<Answer> {
  return database.$sqlTransaction(
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
    { timeoutMs },
  );
}

/** Deletes keys older than the retention time. */
export async function deleteOldEffects(runner: SqlRunner): Promise<void> {
  await runner.$executeRaw`DELETE FROM memotree_effect WHERE at < now() - make_interval(days => ${retentionDays}::int)`;
}
