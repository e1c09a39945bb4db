// Makes summaries in the background. The row of a summary is its task: it is written in the transaction that requests the summary,
// claimed by any free worker, and claimed again if that worker dies.
import type { Database, Logger, SqlRunner } from '#lib/platform';
import { metric } from '#lib/transport';
import { extract } from './nodes/node-text.js';

export interface Summariser {
  readonly name: string;
  readonly summarise: (text: string, signal: AbortSignal) => Promise<{ readonly summary: string; readonly brief: string }>;
}

export const extractive: Summariser = { name: 'extractive', summarise: async (text) => extract(text) };

/** A claim expires after this time unless it is renewed; then another worker takes the task. */
const leaseSeconds = 15;
const renewIntervalMs = 5_000;
/** Attempts until a summary counts as failed. The pauses between them double, from 2 s. */
const maxAttempts = 5;
const batchSize = 4;

/** Requests the summaries of texts. A summary that exists or is being made is not requested again; a failed one is. */
export async function requestSummaries(runner: SqlRunner, workspaceId: number, sourceHashes: readonly string[]): Promise<void> {
  if (sourceHashes.length === 0) return;
  await runner.$executeRaw`
    INSERT INTO memotree_summary (workspace_id, source_hash) SELECT ${workspaceId}::int, * FROM unnest(${[...new Set(sourceHashes)]}::text[])
    ON CONFLICT (workspace_id, source_hash) DO UPDATE SET state = 'Pending', attempts = 0, due_at = now()
      WHERE memotree_summary.state = 'Failed'`;
}

interface Task {
  readonly workspaceId: number;
  readonly sourceHash: string;
  readonly attempts: number;
  readonly text: string;
}

export class Summaries {
  readonly #database: Database;
  readonly #summariser: Summariser;
  readonly #log: Logger;

  constructor(database: Database, summariser: Summariser, log: Logger) {
    this.#database = database;
    this.#summariser = summariser;
    this.#log = log;
  }

  /** Makes all summaries that are due, or stops when the signal fires. */
  async runDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const tasks = await this.#claim();
      if (tasks.length === 0) return;
      const renewing = setInterval(() => void this.#renew(tasks).catch(() => undefined), renewIntervalMs);
      await Promise.all(tasks.map((task) => this.#run(task, signal))).finally(() => clearInterval(renewing));
    }
  }

  /** Claims due tasks. SKIP LOCKED keeps workers from waiting for each other. */
  async #claim(): Promise<readonly Task[]> {
    return this.#database.$queryRaw<Task[]>`
      WITH due AS (
        SELECT workspace_id, source_hash FROM memotree_summary
        WHERE state IN ('Pending', 'InProgress') AND due_at <= now() ORDER BY due_at LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE memotree_summary s SET state = 'InProgress', attempts = s.attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds}::int)
        FROM due WHERE s.workspace_id = due.workspace_id AND s.source_hash = due.source_hash
        RETURNING s.workspace_id, s.source_hash, s.attempts
      )
      SELECT taken.workspace_id AS "workspaceId", taken.source_hash AS "sourceHash", taken.attempts, text.text
      FROM taken JOIN memotree_text text ON text.workspace_id = taken.workspace_id AND text.hash = taken.source_hash`;
  }

  async #renew(tasks: readonly Task[]): Promise<void> {
    const held = JSON.stringify(tasks.map(({ workspaceId, sourceHash }) => ({ workspace_id: workspaceId, source_hash: sourceHash })));
    await this.#database.$executeRaw`
      UPDATE memotree_summary s SET due_at = now() + make_interval(secs => ${leaseSeconds}::int)
      FROM jsonb_to_recordset(${held}::jsonb) AS held(workspace_id int, source_hash text)
      WHERE s.workspace_id = held.workspace_id AND s.source_hash = held.source_hash AND s.state = 'InProgress'`;
  }

  async #run({ workspaceId, sourceHash, attempts, text }: Task, signal: AbortSignal): Promise<void> {
    try {
      const { summary, brief } = await this.#summariser.summarise(text, signal);
      await this.#database.$executeRaw`
        UPDATE memotree_summary SET state = 'Completed', summary = ${summary}, brief = ${brief}, method = ${this.#summariser.name}
        WHERE workspace_id = ${workspaceId}::int AND source_hash = ${sourceHash}`;
      metric.summariesMade.inc({ method: this.#summariser.name, outcome: 'completed' });
    } catch (error) {
      // The claim expires, and another worker takes the task.
      if (signal.aborted) return;
      const last = attempts >= maxAttempts;
      this.#log.warn({ event: 'summary-failed', attempts, last, err: error }, 'a summary could not be made');
      metric.summariesMade.inc({ method: this.#summariser.name, outcome: last ? 'failed' : 'retried' });
      // Until a summary exists readers see an extract of the text.
      await this.#database.$executeRaw`
        UPDATE memotree_summary SET state = ${last ? 'Failed' : 'Pending'}::memotree_task_state, due_at = now() + make_interval(secs => ${2 ** attempts}::int)
        WHERE workspace_id = ${workspaceId}::int AND source_hash = ${sourceHash}`;
    }
  }
}
