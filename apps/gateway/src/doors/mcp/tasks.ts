import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toMcpResult, toMcpTask, type McpTask } from '#lib/contracts';
import { recordLifeMs, type InvocationRecord, type InvocationStore } from '#lib/transport';
import { callerOf } from '../../callers/guard.js';
import { envelopeOf, type Answers } from '../../invocations/answers.js';
import { wishesOf, type Finishing } from '../../invocations/finishing.js';
import { mayRead } from '../ownership.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const declared = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({ extensions: z.looseObject({ [tasksExtension]: z.looseObject({}) }) }),
});
const taskParams = z.looseObject({ taskId: z.string().min(1).max(200) });

/** Whether the client can read a task where it asked for a result; it says so with every request. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  return declared.safeParse(mcpReq.envelope).success;
}

interface TasksParts {
  readonly store: InvocationStore;
  readonly answers: Answers;
  readonly finishing: Finishing;
}

/**
 * Tasks (SEP-2663). A task is a job by another name: its id is the job's, so it can be asked for at any gateway, and it
 * outlives the gateway and the worker that began it.
 */
export class Tasks {
  readonly #parts: TasksParts;

  constructor(parts: TasksParts) {
    this.#parts = parts;
  }

  /** The answer of a call that goes on as a task. The job was stored before this is said. */
  async created(jobId: string): Promise<CallToolResult> {
    const record = await this.#parts.store.read(jobId);
    if (!record) throw unknownTask();
    return { resultType: 'task', ...taskOf(record), content: [] };
  }

  /** Serves `tasks/get`, `tasks/update` and `tasks/cancel` for one request. */
  attach(mcp: McpServer, request: FastifyRequest): void {
    const handle = (method: string, answer: (record: InvocationRecord) => Promise<Result>) =>
      mcp.server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, context) => {
        if (!takesTasks(context))
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
        return answer(await this.#find(request, taskId));
      });
    handle('tasks/get', async (record) => this.#get(request, record));
    // Our tools ask nothing back, so there is nothing to answer.
    handle('tasks/update', async () => ({}));
    handle('tasks/cancel', async (record) => {
      const error = { code: 'CANCELLED', family: 'CANCELLED', message: 'The task was cancelled by its caller' } as const;
      if (!record.ending)
        await this.#parts.answers.endNow(record.jobId, record.head, { state: 'cancelled', outcome: { ok: false, error } });
      return {};
    });
  }

  async #get(request: FastifyRequest, record: InvocationRecord): Promise<Result> {
    const { jobId, head, ending } = record;
    const task = taskOf(record);
    if (!ending || task.status !== 'completed') return { ...task };
    const answer = await this.#parts.answers.ofEnded({ jobId, head, ending }, callerOf(request));
    const finished = await this.#parts.finishing.finish(answer, { ...wishesOf(head), inline_files: false });
    return { ...task, result: { ...toMcpResult(envelopeOf(finished)) } };
  }

  /** The caller's own task; a foreign one is as unknown as none. */
  async #find(request: FastifyRequest, taskId: string): Promise<InvocationRecord> {
    const record = await this.#parts.store.read(taskId);
    if (!record || !mayRead(callerOf(request), record.head.caller)) throw unknownTask();
    return record;
  }
}

function taskOf({ jobId, state, head, progress, startedAt, ending }: InvocationRecord): McpTask {
  const updatedAt = ending?.finishedAt ?? startedAt ?? head.createdAt;
  return toMcpTask({ jobId, state, message: progress?.message, createdAt: head.createdAt, updatedAt, ttlMs: recordLifeMs });
}

function unknownTask(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'There is no such task; tasks can be asked for during 24 hours by whoever made the call',
  );
}
