import { principal } from '#lib/contracts';
import type { HistoryCall } from './history-entry.js';
import { domainOf, newJobId, type Partition } from '../redis/partition.js';

/** Work of the product for a tenant that no caller asked for, and that asked a model. */
export interface BackgroundWork {
  readonly tenantId: string;
  /** What sums and budgets call it. */
  readonly name: string;
  /** Its credential in sums: `worker:memotree`. */
  readonly by: string;
  readonly isDone: boolean;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Millionths of a US dollar. */
  readonly micros: number;
}

/** The same as the history keeps it, like a call, under a new id that no job has. */
export function toHistoryCall(partition: Partition, work: BackgroundWork): HistoryCall {
  const { tenantId, name, by, isDone, startedAt, finishedAt, model, inputTokens, outputTokens, micros } = work;
  return {
    job_id: newJobId(partition),
    tenant_id: tenantId,
    user_id: null,
    caller: principal({ tenantId, userId: null, credentialId: by }),
    credential_id: by,
    domain: domainOf(partition),
    tool_name: name,
    tool_version: '1.0.0',
    state: isDone ? 'completed' : 'failed',
    code: isDone ? null : 'EXECUTION_ERROR',
    native_code: null,
    attempts_made: 1,
    max_attempts: 1,
    created_at: Math.round(startedAt),
    started_at: Math.round(startedAt),
    finished_at: Math.round(finishedAt),
    execution_ms: Math.max(0, finishedAt - startedAt),
    network_ms: Math.max(0, finishedAt - startedAt),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    trace_id: '',
    replay_of: null,
    edited_by: null,
    cost_micros: micros,
    model,
    conversation_id: null,
    background: true,
  };
}
