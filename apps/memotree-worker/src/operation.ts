// The two kinds of operation: those that look at the canvas, and those that change it.
import type { MemotreeLiteral, ToolContract, ToolInput, ToolOutput } from '#lib/contracts';
import type { Database, SqlRunner } from '#lib/platform';
import type { Handler, HandlerContext } from '#lib/worker';
import { Draft } from './draft.js';
import { runOnce } from './effects.js';
import { Rejection } from './rejection.js';
import type { ToEmbed } from './search/node-index.js';
import { handle, type MemotreeServices } from './services.js';
import { openScope, type Scope } from './store/scope.js';
import { Reader } from './store/reader.js';

type Operation = ToolContract & { readonly errors: Readonly<Record<MemotreeLiteral, unknown>> };
type Context = HandlerContext<MemotreeServices>;

/** What an operation answers: data, a sentence on what was done, and what is odd about it (MT-13, MT-16). */
export interface OperationAnswer<Data> {
  readonly data: Data;
  readonly message: string;
  readonly warnings?: readonly string[];
}

/** The canvas as a call finds it. */
export interface Canvas {
  readonly database: Database;
  readonly scope: Scope;
  readonly reader: Reader;
}

/** An operation that changes no node. Statements stand alone. */
export function readOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, canvas: Canvas, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return handle(contract, async (input, context) => {
    const told = await withRefusals(context, async () => {
      const scope = await openScope(context.database, scopeRequest(input, context));
      const reader = new Reader(context.database, scope.workspaceId, scope.lineage);
      return work(input, { database: context.database, scope, reader }, context);
    });
    return report(told, context);
  });
}

interface WriteContext {
  readonly runner: SqlRunner;
  readonly scope: Scope;
  /** Texts that are to get vectors once the change holds. */
  readonly embed: (texts: ToEmbed) => void;
}

/** An operation whose whole effect is one transaction that happens once, however often the call runs. */
export function writeOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, change: WriteContext, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return handle(contract, async (input, context) => {
    const { database, signal, effectKey: key } = context;
    let written: ToEmbed = new Map();
    const embed = (texts: ToEmbed) => void (written = texts);
    const told = await withRefusals(context, () =>
      runOnce(database, { key, signal, timeoutMs: contract.timeoutMs }, async (runner) =>
        work(input, { runner, scope: await openScope(runner, scopeRequest(input, context)), embed }, context),
      ),
    );
    await context.index.embed(written);
    context.wakeBackground();
    return report(told, context);
  });
}

/** A change that stages: it holds the session's stage, and what it staged is searchable with it. */
export function stagingOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, draft: Draft, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return writeOperation(contract, async (input, { runner, scope, embed }, context) => {
    const draft = await Draft.open(runner, scope);
    const told = await work(input, draft, context);
    embed(await context.index.refreshStage(draft));
    return told;
  });
}

function scopeRequest(input: object, { caller, sessionId }: Context) {
  const workspace = 'workspace' in input && typeof input.workspace === 'string' ? input.workspace : null;
  return { caller, sessionKey: sessionId, workspace };
}

async function withRefusals<Result>({ network, refusal }: Context, work: () => Promise<Result>): Promise<Result> {
  try {
    return await network(work);
  } catch (error) {
    if (error instanceof Rejection) throw refusal(error.literal, error.message, error.extra ? { extra: error.extra } : {});
    throw error;
  }
}

function report<Data>({ data, message, warnings = [] }: OperationAnswer<Data>, { setMessage, warn }: Context): Data {
  setMessage(message);
  for (const warning of new Set(warnings)) warn(warning);
  return data;
}
