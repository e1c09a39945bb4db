// The handlers as the worker runs them, over a real database, without a queue. For tests and benchmarks.
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { z } from 'zod';
import { validateInput } from '#lib/contracts';
import { createDatabase, createLogger } from '#lib/platform';
import { hashedNgrams, Retriever, VectorIndex } from '#lib/retrieval';
import { Metrics } from '#lib/transport';
import { runTool, type Handler } from '#lib/handlers';
import { NodeIndex } from './search/node-index.js';
import { turnsOf, type MemotreeServices } from './services.js';
import { Texts } from './text/texts.js';
import { extractive, Summaries } from './summaries.js';
import * as handlers from './tools/index.js';

const byName = new Map<string, Handler<MemotreeServices>>(Object.values(handlers).map((handler) => [handler.contract.name, handler]));

export interface OperationResult {
  readonly data: Record<string, unknown>;
  readonly message: string;
  readonly warnings: readonly string[];
}

/** A no of an operation, with its literal. */
class OperationError extends Error {
  readonly literal: string;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(literal: string, message: string, extra: Readonly<Record<string, unknown>>) {
    super(`${literal}: ${message}`);
    this.literal = literal;
    this.extra = extra;
  }
}

export type Call = (operation: string, input?: Record<string, unknown>) => Promise<OperationResult>;

interface CalledBy {
  readonly key: string;
  readonly userId?: string;
  readonly tenantId?: string;
  readonly jobId?: string;
}

const poolSize = 4;

export class TestCanvas implements AsyncDisposable {
  readonly tenantId: string;
  readonly services: MemotreeServices;
  readonly summaries: Summaries;
  readonly #close: () => Promise<void>;

  constructor(url: string, tenantId = `mt-${randomBytes(5).toString('hex')}`) {
    this.tenantId = tenantId;
    const log = createLogger('test', 'silent');
    const database = createDatabase({ url, poolSize, name: 'memotree-test', statementTimeoutMs: 60_000, prepared: true });
    const pool = new Pool({ connectionString: url, max: poolSize });
    pool.on('error', () => undefined);
    const vectors = new VectorIndex(pool, hashedNgrams());
    const texts = new Texts(process.cwd());
    this.services = {
      database,
      turns: turnsOf(poolSize),
      index: new NodeIndex(database, vectors, log),
      search: { retriever: new Retriever({ pool, vectors }), sql: pool },
      texts,
      wakeBackground: () => undefined,
    };
    this.summaries = new Summaries(database, { summariser: extractive, costs: null, metrics: new Metrics() }, log);
    this.#close = async () => {
      texts.close();
      await pool.end();
      await database.$disconnect();
    };
  }

  /** Calls in the name of a user's session. */
  session(key: string, userId = 'u1'): Call {
    return (operation, input = {}) => this.call(operation, input, { key, userId });
  }

  async call(
    operation: string,
    input: Record<string, unknown>,
    { key, userId = 'u1', tenantId = this.tenantId, jobId = randomBytes(8).toString('hex') }: CalledBy,
  ): Promise<OperationResult> {
    const handler = byName.get(operation);
    if (!handler) throw new Error(`there is no operation ${operation}`);
    const result = await runTool(handler, this.services, {
      jobId,
      number: 1,
      input: validateInput(handler.contract, input),
      caller: { tenantId, userId, tier: 'pro', scopes: [], credentialId: 'k' },
      sessionId: key,
      stop: new AbortController().signal,
      onProgress: () => undefined,
    });
    switch (result.kind) {
      case 'done':
        return { data: z.record(z.string(), z.unknown()).parse(result.data), message: result.message ?? '', warnings: result.warnings };
      case 'refused':
        throw new OperationError(result.error.native_code ?? result.error.code, result.error.message, result.error.extra ?? {});
      case 'failed':
        throw new Error(`${operation} failed: ${result.error.message}`, { cause: result.cause });
      case 'unchanged':
      case 'stopped':
      case 'resting':
        throw new Error(`${operation} was stopped`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
