// The system with the MemoTree worker, and a session of it as a caller of the native route sees it.
import { z } from 'zod';
import { startSystem, type HttpCaller, type System, type SystemOptions } from '#lib/testing';

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/memotree-worker/src/main.js' };

export function startMemotree(options: SystemOptions = {}): Promise<System> {
  return startSystem({ mains, ...options });
}

/** Exactly the keys of MT-12. */
const toolCallResult = z.strictObject({
  success: z.boolean(),
  message: z.string().min(1),
  data: z.record(z.string(), z.unknown()).nullable(),
  warnings: z.array(z.string()),
  errorCode: z
    .enum([
      'INVALID_PARAMS',
      'NODE_NOT_FOUND',
      'PARENT_NOT_FOUND',
      'TAG_NAME_REQUIRED',
      'TAG_ALREADY_EXISTS',
      'CONFLICT',
      'PERMISSION_DENIED',
      'CANCELLED',
      'TIMEOUT',
      'STORAGE_ERROR',
      'EXECUTION_ERROR',
    ])
    .nullable(),
});
export type ToolCallResult = z.output<typeof toolCallResult>;

/** Calls operations of one session; every answer has the one shape (MT-03). */
export class MemotreeSession {
  readonly #caller: HttpCaller;
  readonly #fixed: Readonly<Record<string, unknown>>;

  constructor(caller: HttpCaller, session: string, workspace: string | null = null) {
    this.#caller = caller.with({ 'x-session-id': session });
    this.#fixed = workspace === null ? {} : { workspace };
  }

  async call(operation: string, request: unknown = {}): Promise<ToolCallResult> {
    const body = typeof request === 'object' && request !== null && !Array.isArray(request) ? { ...this.#fixed, ...request } : request;
    const reply = await this.#caller.post(`/memotree/${operation}`, body);
    const result = reply.as(toolCallResult);
    if (result.success !== (reply.status === 200)) throw new Error(`${operation} answered ${reply.status} with success ${result.success}`);
    return result;
  }

  /** Data of an operation that must succeed. */
  async do(operation: string, request: object = {}): Promise<Record<string, unknown>> {
    const { success, data, message } = await this.call(operation, request);
    if (!success || !data) throw new Error(`${operation} was refused: ${message}`);
    return data;
  }

  async create(request: object): Promise<string> {
    return String((await this.do('create_node', request))['nodeId']);
  }

  /** Ids of a search's results, in their order. */
  async find(request: object): Promise<string[]> {
    const { results } = z.object({ results: z.array(z.object({ nodeId: z.string() })) }).parse(await this.do('search_nodes', request));
    return results.map(({ nodeId }) => nodeId);
  }
}
