import { Injectable } from '@nestjs/common';
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type Result,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal, textIn, toMcpTask, type Language, type McpTask, type Rest } from '#lib/contracts';
import { recordLifeMs, type CallRecord } from '#lib/transport';
import { callerOf } from '../../http/caller-of.js';
import { Calls } from '../../calls/calls.js';
import type { JobCall } from '../../calls/job-call.js';
import { languageOf } from '../../http/language.js';
import { sessionOf } from '../../http/call-headers.js';
import type { Elicitation } from './elicitation.js';
import type { CallContext } from './plain-forms.js';
import type { McpView } from './view.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const declared = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({ extensions: z.looseObject({ [tasksExtension]: z.looseObject({}) }) }),
});
const taskParams = z.looseObject({ taskId: z.string().min(1).max(200), inputResponses: z.unknown().optional() });

/** Whether the client can read a task where it asked for a result; it says so with every request. */
export function takesTasks({ mcpReq }: CallContext): boolean {
  return declared.safeParse(mcpReq.envelope).success;
}

/**
 * Tasks (SEP-2663). A task is a job by another name: its id is the job's, so it can be asked for at any gateway, and it
 * outlives the gateway and the worker that began it.
 */
@Injectable()
export class Tasks {
  constructor(private readonly calls: Calls) {}

  /** The result of a call that goes on as a task. */
  async created(call: JobCall, language: Language): Promise<CallToolResult> {
    return { resultType: 'task', ...taskOf(await call.job(), language), content: [] };
  }

  /** Serves `tasks/get`, `tasks/update` and `tasks/cancel` for one request. */
  attach(
    mcp: McpServer,
    request: FastifyRequest,
    { view, elicitation }: { readonly view: McpView; readonly elicitation: Elicitation },
  ): void {
    const handle = (method: string, answer: (call: JobCall, context: CallContext, inputResponses: unknown) => Promise<Result>) =>
      mcp.server.setRequestHandler(method, { params: taskParams }, async ({ taskId, inputResponses }, context) => {
        if (!takesTasks(context))
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
        using call = await this.#find(request, taskId);
        return await answer(call, context, context.mcpReq.inputResponses ?? inputResponses);
      });
    handle('tasks/get', async (call, context) => {
      const task = await taskWithResult(call, view);
      const asked = call.resting && (await elicitation.asked(call.resting, context));
      if (!asked || asked === 'answered') return task;
      return { ...task, status: 'input_required', inputRequests: asked.inputRequests };
    });
    handle('tasks/update', async (call, { mcpReq }, inputResponses) => {
      if (call.resting && inputResponses !== undefined) await elicitation.answer(call.resting, inputResponses, mcpReq.signal);
      return {};
    });
    handle('tasks/cancel', async (call) => {
      await call.cancel('The task was cancelled by its caller');
      return {};
    });
  }

  /** The caller's own task. A foreign one is as unknown as none. */
  async #find(request: FastifyRequest, taskId: string): Promise<JobCall> {
    return this.calls.find(callerOf(request), taskId, sessionOf(request)).catch((error: unknown) => {
      throw error instanceof Refusal && error.error.family === 'RESOURCE_NOT_FOUND' ? unknownTask(languageOf(request)) : error;
    });
  }
}

async function taskWithResult(call: JobCall, view: McpView): Promise<Result> {
  const task = taskOf(await call.job(), view.language);
  const answer = task.status === 'completed' ? await call.answer(null, { inline_files: false }) : null;
  return answer ? { ...task, result: { ...view.result(answer) } } : { ...task };
}

function taskOf({ jobId, state, head, progress, rest, startedAt, ending }: CallRecord, language: Language): McpTask {
  const updatedAt = ending?.finishedAt ?? rest?.since ?? startedAt ?? head.createdAt;
  const message = rest ? restMessage(rest) : progress?.message;
  const told = message === undefined ? undefined : textIn(language, message);
  return toMcpTask({ jobId, state, message: told, createdAt: head.createdAt, updatedAt, ttlMs: recordLifeMs });
}

function restMessage({ reason, until, inputRequest }: Rest): string {
  const time = new Date(until).toISOString();
  return reason === 'approval'
    ? `Waits until ${time} for a person to approve it (input request ${inputRequest})`
    : `Rests (${reason}) until ${time}`;
}

function unknownTask(language: Language): ProtocolError {
  const message = 'There is no such task; tasks can be asked for during 24 hours by whoever made the call';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, textIn(language, message));
}
