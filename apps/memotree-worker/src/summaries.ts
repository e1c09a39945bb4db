// Makes summaries in the background. The row of a summary is its task: it is written in the transaction that requests the summary,
// claimed by any free worker, and claimed again if that worker dies.
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Database, Logger, SqlRunner } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import type { SummaryCosts } from './summary-costs.js';
import { Failure } from '#lib/handlers';
import { extract } from './nodes/node-text.js';

export interface Summariser {
  readonly name: string;
  readonly summarise: (text: string, asked: Asked) => Promise<{ readonly summary: string; readonly brief: string }>;
}

interface Asked {
  readonly signal: AbortSignal;
  /** Called once a model has said what it took, whether its answer is good or not. */
  readonly onUsage: (usage: LanguageModelV4Usage) => void;
}

export const extractive: Summariser = { name: 'extractive', summarise: async (text) => extract(text) };

/** A claim expires after this time unless it is renewed; then another worker takes the task. */
const leaseSeconds = 15;
const renewIntervalMs = 5_000;
/** Attempts until a summary counts as failed. The pauses between them double, from 2 s. */
const maxAttempts = 5;
const batchSize = 4;
/** One for which no budget has room waits for so long. */
const fullSeconds = 300;

/** Requests the summaries of texts. A summary that exists or is being made is not requested again; a failed one is. */
export async function requestSummaries(runner: SqlRunner, workspaceId: number, sourceHashes: readonly string[]): Promise<void> {
  if (sourceHashes.length === 0) return;
  await runner.$executeRaw`
    INSERT INTO memotree_summary (workspace_id, source_hash) SELECT ${workspaceId}::int, * FROM unnest(${[...new Set(sourceHashes)]}::text[])
    ON CONFLICT (workspace_id, source_hash) DO UPDATE SET state = 'Pending', attempts = 0, due_at = now()
      WHERE memotree_summary.state = 'Failed'`;
}

interface Task {
  readonly tenantId: string;
  readonly workspaceId: number;
  readonly sourceHash: string;
  readonly attempts: number;
  readonly text: string;
}

interface Made {
  readonly summariser: Summariser;
  readonly costs: SummaryCosts | null;
  readonly metrics: Pick<Metrics, 'summariesMade'>;
}

export class Summaries {
  readonly #metrics: Made['metrics'];
  readonly #database: Database;
  readonly #summariser: Summariser;
  readonly #costs: SummaryCosts | null;
  readonly #log: Logger;

  /** @param made what makes them, and what that costs; null where it costs nothing */
  constructor(database: Database, { summariser, costs, metrics }: Made, log: Logger) {
    this.#database = database;
    this.#summariser = summariser;
    this.#metrics = metrics;
    this.#costs = costs;
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
      SELECT workspace.tenant_id AS "tenantId", taken.workspace_id AS "workspaceId", taken.source_hash AS "sourceHash", taken.attempts, text.text
      FROM taken JOIN memotree_text text ON text.workspace_id = taken.workspace_id AND text.hash = taken.source_hash
        JOIN memotree_workspace workspace ON workspace.id = taken.workspace_id`;
  }

  /** Before the summary is stored: what was spent counts also where this worker dies. */
  async #ask({ tenantId, text }: Task, signal: AbortSignal): ReturnType<Summariser['summarise']> {
    const costs = this.#costs;
    const startedAt = costs?.now ?? 0;
    let usage: LanguageModelV4Usage | undefined;
    const onUsage = (told: LanguageModelV4Usage): void => void (usage = told);
    try {
      const made = await this.#summariser.summarise(text, { signal, onUsage });
      if (costs && usage) await costs.record({ tenantId, usage, startedAt, isDone: true });
      return made;
    } catch (error) {
      if (costs && usage && error instanceof Failure) await costs.record({ tenantId, usage, startedAt, isDone: false });
      throw error;
    }
  }

  /** Until a budget has room again readers see an extract of the text. */
  async #postpone({ tenantId, workspaceId, sourceHash }: Task): Promise<void> {
    this.#log.info({ event: 'summary-postponed', tenant_id: tenantId }, 'a budget of the tenant has no room for a summary');
    this.#metrics.summariesMade.inc({ method: this.#summariser.name, outcome: 'postponed' });
    await this.#database.$executeRaw`
      UPDATE memotree_summary SET state = 'Pending', attempts = attempts - 1, due_at = now() + make_interval(secs => ${fullSeconds}::int)
      WHERE workspace_id = ${workspaceId}::int AND source_hash = ${sourceHash}`;
  }

  async #renew(tasks: readonly Task[]): Promise<void> {
    const held = JSON.stringify(tasks.map(({ workspaceId, sourceHash }) => ({ workspace_id: workspaceId, source_hash: sourceHash })));
    await this.#database.$executeRaw`
      UPDATE memotree_summary s SET due_at = now() + make_interval(secs => ${leaseSeconds}::int)
      FROM jsonb_to_recordset(${held}::jsonb) AS held(workspace_id int, source_hash text)
      WHERE s.workspace_id = held.workspace_id AND s.source_hash = held.source_hash AND s.state = 'InProgress'`;
  }

  async #run(task: Task, signal: AbortSignal): Promise<void> {
    const { workspaceId, sourceHash, attempts } = task;
    try {
      if (this.#costs && !(await this.#costs.hasRoom(task.tenantId))) return await this.#postpone(task);
      const { summary, brief } = await this.#ask(task, signal);
      await this.#database.$executeRaw`
        UPDATE memotree_summary SET state = 'Completed', summary = ${summary}, brief = ${brief}, method = ${this.#summariser.name}
        WHERE workspace_id = ${workspaceId}::int AND source_hash = ${sourceHash}`;
      this.#metrics.summariesMade.inc({ method: this.#summariser.name, outcome: 'completed' });
    } catch (error) {
      // The claim expires, and another worker takes the task.
      if (signal.aborted) return;
      const last = attempts >= maxAttempts;
      this.#log.warn({ event: 'summary-failed', attempts, last, err: error }, 'a summary could not be made');
      this.#metrics.summariesMade.inc({ method: this.#summariser.name, outcome: last ? 'failed' : 'retried' });
      // Until a summary exists readers see an extract of the text.
      await this.#database.$executeRaw`
        UPDATE memotree_summary SET state = ${last ? 'Failed' : 'Pending'}::memotree_task_state, due_at = now() + make_interval(secs => ${2 ** attempts}::int)
        WHERE workspace_id = ${workspaceId}::int AND source_hash = ${sourceHash}`;
    }
  }
}
