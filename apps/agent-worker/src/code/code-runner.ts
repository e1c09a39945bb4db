import { createHash } from 'node:crypto';
import {
  codeMemoryMb,
  codeProcessorMs,
  hasScope,
  isStorable,
  jsonIn,
  markedPaths,
  mostCodeResultBytes,
  mostLogCharacters,
  runCode as contract,
  tools,
  type Caller,
  type ToolDefinition,
  type ToolInput,
  type ToolLiteral,
  type ToolOutput,
} from '#lib/contracts';
import { Failure, type ToolContext } from '#lib/handlers';
import { OverLimit, Sandbox } from '#lib/sandbox';
import { mintTurnToken, type Sealer } from '#lib/transport';
import type { GatewayClient } from '../gateway-client.js';
import { CodeRefusal } from './code-refusal.js';
import { InnerCalls, keptNumber } from './inner-calls.js';
import type { CodeEnd, CodeFault } from './messages.js';
import type { runCode } from './run-code.js';

interface CodeRunnerParts {
  /** The folder that contains `dist` and `node_modules`. */
  readonly root: string;
  readonly gateway: GatewayClient;
  readonly sealer: Sealer;
  /** The longest that code waits for one tool, ms. */
  readonly toolTimeoutMs: number;
}

const literals: Record<CodeFault, ToolLiteral<typeof contract>> = {
  syntax: 'SYNTAX_ERROR',
  threw: 'CODE_THREW',
  'not-json': 'NOT_JSON',
  time: 'RUNS_TOO_LONG',
  memory: 'OUT_OF_MEMORY',
  depth: 'TOO_DEEP',
  stuck: 'NEVER_ENDS',
};
/** Of our own tools; the gateway refuses those of others whose answers have secrets. */
const notInCode: ReadonlySet<string> = new Set(
  tools
    .filter(({ name, output }) => name === contract.name || markedPaths(output, 'output', ['secret']).length > 0)
    .map(({ name }) => name),
);
/** A little longer than code may take. */
const tokenGraceMs = 10_000;
/** Beside what the code has: for the interpreter, and for texts on their way into it and out of it. */
const processMb = codeMemoryMb + 64;

/** Runs code of models in processes of their own. */
export class CodeRunner {
  readonly #parts: CodeRunnerParts;
  readonly #sandbox: Sandbox<{ readonly runCode: typeof runCode }>;

  constructor(parts: CodeRunnerParts) {
    this.#parts = parts;
    this.#sandbox = new Sandbox({ root: parts.root, entry: 'dist/apps/agent-worker/src/code/code-process.js', memoryMb: processMb });
  }

  close(): void {
    this.#sandbox.close();
  }

  /**
   * Runs code to its end, or until what it waits for rests. Throws CodeRefusal for what is wrong with it, a Failure where the gateway cannot be reached, or
   * the reason of the signal.
   */
  async run({ code, timeout_ms: timeoutMs }: ToolInput<typeof contract>, context: ToolContext): Promise<ToolOutput<typeof contract>> {
    const { gateway, sealer, toolTimeoutMs } = this.#parts;
    const { caller, effectKey: jobId, traceId } = context;
    if (caller.byCode) throw new CodeRefusal('CODE_IN_CODE', 'Code runs no code: call the tools themselves');
    const outOfTime = new AbortController();
    const signal = AbortSignal.any([context.signal, outOfTime.signal]);
    const token = mintTurnToken(sealer, { kind: 'code', jobId, caller, expiresAt: Date.now() + timeoutMs + tokenGraceMs });
    const authority = { token, caller, jobId, traceId, signal };
    const definitions = await gateway.definitions(authority);
    if (definitions.size === 0) throw new Failure('network', 'The gateway cannot be reached at the moment');
    const earlier = await context.stepRecords.earlier();
    const kept = [...earlier.values()].flatMap((step) => (step.kind === 'step' ? (keptNumber(step.data) ?? []) : []));
    const names = callable(definitions, caller);
    const calls = new InnerCalls({ context, definitions, callable: new Set(names), gateway, authority, limitMs: toolTimeoutMs, kept });
    const startedAt = await context.step('start', () => Date.now());
    const timer = setTimeout(() => outOfTime.abort(new CodeRefusal('OUT_OF_TIME', tooLate(timeoutMs, calls.open))), timeoutMs);
    try {
      const end = await this.#sandbox.run(
        'runCode',
        {
          code,
          tools: names,
          startedAt,
          seed: seedOf(jobId),
          timeMs: codeProcessorMs,
          memoryMb: codeMemoryMb,
          logCharacters: mostLogCharacters,
        },
        // The interpreter ends by itself before, except within one step of it.
        {
          tenant: caller.tenantId,
          signal,
          timeMs: 2 * codeProcessorMs,
          onAsk: async (asked, over) => calls.reply(asked, over),
          onProgress: () => calls.read(),
        },
      );
      return { ...resultOf(end), calls: calls.made };
    } catch (error) {
      throw error instanceof OverLimit ? overLimit(error) : error;
    } finally {
      clearTimeout(timer);
      // Of a call that rests, people are still asked.
      if (!context.signal.aborted) await calls.cancelResting();
    }
  }
}

function resultOf(end: CodeEnd): Omit<ToolOutput<typeof contract>, 'calls'> {
  if (!end.ok) {
    const { fault, message, line } = end;
    throw new CodeRefusal(literals[fault], line === undefined ? message : `Line ${line}: ${message}`);
  }
  const bytes = Buffer.byteLength(end.json);
  if (bytes > mostCodeResultBytes)
    throw new CodeRefusal(
      'RESULT_TOO_LARGE',
      `The code returns ${bytes} bytes of JSON; at most ${mostCodeResultBytes}: return what you need alone`,
    );
  const result = jsonIn(end.json);
  if (result === undefined || !isStorable(result))
    throw new CodeRefusal('NOT_JSON', 'The code returns text with U+0000 or halves of characters: remove them');
  return { result, logs: [...end.logs] };
}

function overLimit({ limit }: OverLimit): CodeRefusal {
  return limit === 'time'
    ? new CodeRefusal('RUNS_TOO_LONG', 'The code runs for too long')
    : new CodeRefusal('OUT_OF_MEMORY', 'The code needs too much memory');
}

function tooLate(timeoutMs: number, open: readonly string[]): string {
  const waits = open.length === 0 ? '' : `; it waits for ${open.slice(0, 5).join(', ')}`;
  return `The code has not ended within ${timeoutMs} ms${waits}`;
}

/** The names of the tools that this caller may use in code: of those that it has elsewhere, not those whose answers have secrets, and none that runs code. */
function callable(definitions: ReadonlyMap<string, ToolDefinition>, caller: Caller): string[] {
  const mayUse = ({ name, scopes }: ToolDefinition): boolean => !notInCode.has(name) && scopes.every((scope) => hasScope(caller, scope));
  return [...definitions.values()].filter(mayUse).map(({ name }) => name);
}

/** The same for all attempts of a call, and no other. Epoch ms. */
function seedOf(jobId: string): number {
  return createHash('sha256').update(jobId).digest().readUIntBE(0, 5);
}
