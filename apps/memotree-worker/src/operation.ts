// The kinds of operation: reading the canvas, writing in one transaction, and staging changes of nodes.
import type { MemotreeLiteral, ToolContract, ToolInput, ToolOutput } from '#lib/contracts';
import type { Database, SqlRunner } from '#lib/platform';
import type { Handler, HandlerContext } from '#lib/handlers';
import { Draft } from './draft.js';
import { runOnce } from './effects.js';
import { Rejection } from './rejection.js';
import type { ToEmbed } from './search/node-index.js';
import { handle, type MemotreeServices } from './services.js';
import { MergedTexts } from './text/merged-texts.js';
import type { Merge, Merged } from './text/text-work.js';
import { openScope, type Scope } from './store/scope.js';
import { Reader } from './store/reader.js';

type Operation = ToolContract & { readonly errors: Readonly<Record<MemotreeLiteral, unknown>> };
type Context = HandlerContext<MemotreeServices>;

/** The answer of an operation: data, a sentence that says what was done, and warnings (MT-13, MT-16). */
export interface OperationAnswer<Data> {
  readonly data: Data;
  readonly message: string;
  readonly warnings?: readonly string[];
}

/** What a reading operation works on. */
export interface Canvas {
  readonly database: Database;
  readonly scope: Scope;
  readonly reader: Reader;
}

/** Defines an operation that changes no node. Its statements run outside of a transaction. */
export function readOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, canvas: Canvas, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return handle(contract, async (input, context) => {
    const answer = await withRefusals(context, async () => {
      const scope = await openScope(context.database, scopeRequest(input, context));
      const reader = new Reader(context.database, scope.workspaceId, scope.lineage);
      return work(input, { database: context.database, scope, reader }, context);
    });
    return report(answer, context);
  });
}

interface WriteContext {
  readonly runner: SqlRunner;
  readonly scope: Scope;
  /** Texts to make vectors of after the transaction has been committed. */
  readonly embed: (texts: ToEmbed) => void;
}

/** Defines an operation whose whole effect is one transaction. It happens once, however often the call is attempted (MT-11). */
export function writeOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, change: WriteContext, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return handle(contract, async (input, context) =>
    report(await withRefusals(context, () => change({ contract, input, context }, (write) => work(input, write, context))), context),
  );
}

/** Defines an operation that stages changes: it locks the stage of the session, and indexes what it has staged. */
export function stagingOperation<Contract extends Operation>(
  contract: Contract,
  work: (input: ToolInput<Contract>, draft: Draft, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return preparedOperation(contract, async (input) => input, work);
}

/**
 * Defines an operation that stages changes of texts that must be parsed first, outside of the transaction.
 * @param prepare gives what the work needs
 */
export function preparedOperation<Contract extends Operation, Prepared>(
  contract: Contract,
  prepare: (input: ToolInput<Contract>, context: Context) => Promise<Prepared>,
  work: (prepared: Prepared, draft: Draft, context: Context) => Promise<OperationAnswer<ToolOutput<Contract>>>,
): Handler<MemotreeServices> {
  return handle(contract, async (input, context) => {
    const answer = await withRefusals(context, async () => {
      const prepared = await prepare(input, context);
      const merges = new MergedTexts();
      const stage = () =>
        change({ contract, input, context }, async ({ runner, scope, embed }) => {
          const draft = await Draft.open(runner, scope, merges);
          const staged = await work(prepared, draft, context);
          merges.assertComplete();
          embed(await context.index.refreshStage(draft));
          return staged;
        });
      return merges.whileMissing(stage, (missing) => mergeAll(missing, context));
    });
    return report(answer, context);
  });
}

function mergeAll(merges: readonly Merge[], { texts, caller, signal }: Context): Promise<readonly Merged[]> {
  const chars = merges.reduce((sum, { present, given }) => sum + present.length + given.length, 0);
  return texts.run('merge', merges, { tenant: caller.tenantId, signal, chars, advice: "'content', or update with mode Replace" });
}

interface Change<Contract extends Operation> {
  readonly contract: Contract;
  readonly input: ToolInput<Contract>;
  readonly context: Context;
}

/** Runs a change in one transaction, once, then embeds what it has written. */
async function change<Contract extends Operation, Answer>(
  { contract, input, context }: Change<Contract>,
  work: (write: WriteContext) => Promise<Answer>,
): Promise<Answer> {
  const { database, signal, effectKey: key } = context;
  let written: ToEmbed = new Map();
  const embed = (texts: ToEmbed) => void (written = texts);
  const answer = await inTurn(context, () =>
    runOnce(database, { key, signal, timeoutMs: contract.timeoutMs }, async (runner) =>
      work({ runner, scope: await openScope(runner, scopeRequest(input, context)), embed }),
    ),
  );
  await context.index.embed(written);
  context.wakeBackground();
  return answer;
}

async function inTurn<Result>({ turns, caller, signal }: Context, work: () => Promise<Result>): Promise<Result> {
  using _turn = await turns.acquire(caller.tenantId, signal);
  return await work();
}

function scopeRequest(input: object, { caller, sessionId }: Context) {
  const workspace = 'workspace' in input && typeof input.workspace === 'string' ? input.workspace : null;
  return { caller, sessionKey: sessionId, workspace };
}

/** Turns a Rejection into the refusal of the call, with its literal and fields. */
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
