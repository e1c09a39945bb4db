import { setImmediate } from 'node:timers/promises';
import { outsideTool, type GivenQuery, type OutsideQuery, type OutsideServer, type OutsideTool } from '#lib/contracts';
import { Failure } from '#lib/handlers';
import { AnswerTooLarge, type AddressRules } from '#lib/platform';
import { FairSlots } from '#lib/sandbox';
import { causeOf } from '../upstreams/upstream-failure.js';
import {
  SilentUpstream,
  truncateMessage,
  type ToolListing,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
} from '../upstreams/upstream.js';
import { bound, jsonOf, typedOf } from './column-kinds.js';
import type { DatabaseAddress } from './database-address.js';
import { readNamed } from './named-parameters.js';
import { queryTool } from './query-tool.js';
import { warningsOfRole } from './role-rights.js';
import { withSession, type Session } from './session.js';
import { sqlFailure, statementFault, type StatementFault } from './sql-failure.js';
import { UnusableQuery } from './unusable-query.js';

interface SqlParts {
  /** What it is called in messages. */
  readonly name: string;
  /** Of the server, among those of all tenants. */
  readonly id: string;
  readonly address: DatabaseAddress;
  readonly rules: AddressRules;
  /** What is to be registered; null for what was approved. */
  readonly queries: readonly GivenQuery[] | null;
  /** As it was approved; null before. */
  readonly approved: Pick<OutsideServer, 'tools'> | null;
}

/** @limit outside servers: connections of a worker to one database at a time; further calls wait */
const connections = 5;
/** Connections of a worker to all of them. */
const allConnections = 64;
const slots = new FairSlots({ total: allConnections, perTenant: connections, maxWaiting: 100, patienceMs: 500 });
/** Rows that are read at once. */
const batch = 100;
/** @limit outside servers: bytes of the rows of an answer of a query; the answer says that there are more */
const mostBytes = 4 * 1024 * 1024;
const tooLarge = 'a row is too large: the query must select less of it';
/** To read the queries of a database, in ms each. */
const describeMs = 10_000;
/** How many connections read them, so that calls have some left, and how many queries are worth another one. */
const readers = 3;
const queriesOfReader = 20;

/** A Postgres, whose tools are named queries. A call is the query that was approved, with values that are bound. */
export class SqlUpstream extends SilentUpstream implements Upstream {
  readonly kind = 'sql';
  readonly #parts: SqlParts;
  readonly #byName: ReadonlyMap<string, OutsideQuery>;

  constructor(parts: SqlParts) {
    super();
    this.#parts = parts;
    const approved = (parts.approved?.tools ?? []).flatMap(({ name, query }): [string, OutsideQuery][] => (query ? [[name, query]] : []));
    this.#byName = new Map(approved);
  }

  /**
   * The queries as the database describes them now. One that is broken costs itself alone. Those that were approved are looked at within a call,
   * so that each takes one question there: what the role may read, the call finds out.
   */
  async list(signal: AbortSignal): Promise<ToolListing> {
    const { queries } = this.#parts;
    const given = queries ?? [...this.#byName.values()].map((query) => query.given);
    const names = new Set<string>();
    const isNew = given.map(({ name }) => names.size < names.add(name).size);
    const found: (OutsideTool | { readonly tool: string; readonly reason: string })[] = [];
    // Each reader takes the next one that nobody has taken.
    const left = given.entries();
    const failed = new AbortController();
    const limits = { signal: AbortSignal.any([signal, failed.signal]), timeoutMs: describeMs };
    const reader = async (_: unknown, index: number) =>
      this.#session(limits, async (session) => {
        if (!queries) await session.bound();
        for (const [place, query] of left)
          found[place] = isNew[place]
            ? await readOrReason(session, query, queries ? describe : describeAgain)
            : { tool: query.name, reason: 'another of its queries has this name' };
        // What was approved is asked for again and again, and nobody reads what is said of its role then.
        return queries && index === 0 ? warningsOf(session) : [];
      });
    const length = Math.max(1, Math.min(readers, Math.floor(given.length / queriesOfReader)));
    const warnings = await Promise.all(Array.from({ length }, reader)).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    });
    return {
      tools: found.flatMap((one) => ('reason' in one ? [] : [one])),
      malformed: found.flatMap((one) => ('reason' in one ? [one] : [])),
      warnings: warnings.flat(),
    };
  }

  async call({ tool, input, signal, timeoutMs, recordUpstreamAnswer }: UpstreamCall): Promise<UpstreamAnswer> {
    const query = this.#byName.get(tool);
    if (!query) throw new Failure('service', `${this.#parts.name} has no query ${tool}`);
    const { text } = readNamed(query.given.sql);
    const values = query.parameters.map((one) => bound(input[one.name], one));
    try {
      const data = await this.#session({ signal, timeoutMs }, async (session) => {
        await session.begin();
        await session.open(text, values);
        return rowsOf(session, query);
      });
      recordUpstreamAnswer({ api: `query ${tool}`, status: 200, body: { rows: data.rows.length, has_more: data.has_more } });
      return { kind: 'done', data };
    } catch (error) {
      const fault = faultOf(error);
      if (!fault) throw error;
      return { kind: 'refused', ...fault, message: truncateMessage(fault.message) };
    }
  }

  async close(): Promise<void> {
    // Nothing is held between calls.
  }

  async #session<Result>(
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { id, name, address, rules } = this.#parts;
    using _slot = await slots.acquire(id, limits.signal);
    try {
      return await withSession(address, rules, { ...limits, work });
    } catch (error) {
      limits.signal.throwIfAborted();
      throw statementFault(error) ? error : sqlFailure(name, error);
    }
  }
}

/** What a caller is told; null for what is no fault of the query. */
function faultOf(error: unknown): StatementFault | null {
  if (error instanceof UnusableQuery) return { invalidParams: false, message: error.message };
  if (causeOf(error, AnswerTooLarge)) return { invalidParams: false, message: tooLarge };
  return statementFault(error);
}

/** @throws UnusableQuery, or what the server says of the query */
async function describe(session: Session, given: GivenQuery): Promise<OutsideTool> {
  const prepared = readNamed(given.sql);
  await session.begin();
  try {
    const described = await session.describe(prepared.text);
    const tool = queryTool(given, prepared, described);
    // To open it says whether the role may read what it reads. Nothing is read.
    await session.open(
      prepared.text,
      prepared.names.map(() => null),
    );
    return outsideTool.parse(tool);
  } finally {
    await session.rollback();
  }
}

async function describeAgain(session: Session, given: GivenQuery): Promise<OutsideTool> {
  const prepared = readNamed(given.sql);
  return outsideTool.parse(queryTool(given, prepared, await session.describe(prepared.text)));
}

async function readOrReason(
  session: Session,
  query: GivenQuery,
  read: typeof describe,
): Promise<OutsideTool | { readonly tool: string; readonly reason: string }> {
  try {
    return await read(session, query);
  } catch (error) {
    return { tool: query.name, reason: reasonOf(error) };
  }
}

/** Why a query is none. @throws what is no fault of the query */
function reasonOf(error: unknown): string {
  if (error instanceof UnusableQuery) return error.message;
  const fault = statementFault(error);
  if (fault) return `its SQL is refused: ${fault.message}`;
  throw error;
}

async function warningsOf(session: Session): Promise<readonly string[]> {
  return warningsOfRole(session).catch((error: unknown) => {
    if (statementFault(error)) return ['It is not known what the role may do: the database does not say'];
    throw error;
  });
}

interface Rows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly has_more: boolean;
}

/** Reads the cursor until there are rows or bytes enough. */
async function rowsOf(session: Session, { given, columns }: OutsideQuery): Promise<Rows> {
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  for (;;) {
    // One more than is given says whether there are more.
    const wanted = Math.min(batch, given.max_rows + 1 - rows.length);
    const { rows: found, fields } = await session.fetch(wanted);
    const isSame =
      fields.length === columns.length &&
      fields.every(({ name, dataTypeID }, index) => {
        const [was, is] = [columns[index], typedOf(dataTypeID)];
        return was?.name === name && was.kind === is.kind && was.isList === is.isList;
      });
    if (!isSame) throw new UnusableQuery('its columns are no longer those that were approved; register the server again to approve them');
    for (const values of found) {
      const size = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (size > mostBytes) throw new UnusableQuery(tooLarge);
      bytes += size;
      if (rows.length === given.max_rows || bytes > mostBytes) return { rows, has_more: true };
      rows.push(Object.fromEntries(columns.map((column, index) => [column.name, jsonOf(values[index] ?? null, column)])));
    }
    if (found.length < wanted) return { rows, has_more: false };
    // Other calls of this worker go on.
    await setImmediate();
  }
}
