import type { FailureKind } from '#lib/contracts';

/** Thrown by clients of upstreams and stores that know what went wrong. Never carries the other side's own text. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  /** How long the other side asked to be left alone. */
  readonly hintMs: number | undefined;

  constructor(kind: FailureKind, message: string, options: { readonly cause?: unknown; readonly hintMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.hintMs = options.hintMs;
  }
}

/** Codes of Node, undici, pg and Prisma that mean: no answer from the other side. */
const networkCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN',
  'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT',
  'P1001', 'P1002', 'P1008', 'P1017', 'P2024',
  // Postgres shutting down or starting up.
  '57P01', '57P02', '57P03',
]);
const timeoutCodes = new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', '57014', '55P03']);
/** What pg says without a code. */
const lostConnection = /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Can't reach database server)/;
const queryTimeout = /^(Query read timeout|canceling statement)/;

/** Why an attempt failed, judged by the innermost cause that is known. A code that an upstream gave is a service fault. */
export function failureOf(error: unknown): FailureKind {
  let answered = false;
  for (const cause of causes(error)) {
    if (cause instanceof Failure) return cause.kind;
    if (cause.name === 'TimeoutError') return 'timeout';
    const code = codeOf(cause);
    if (code !== null && timeoutCodes.has(code)) return 'timeout';
    if (queryTimeout.test(cause.message)) return 'timeout';
    if (code !== null && (networkCodes.has(code) || code.startsWith('08'))) return 'network';
    if (lostConnection.test(cause.message)) return 'network';
    // Prisma's codes and SQLSTATE: the database answered.
    if (code !== null && /^(P\d{4}|[0-9A-Z]{5})$/.test(code)) answered = true;
  }
  return answered ? 'service' : 'internal';
}

export function hintOf(error: unknown): number | undefined {
  for (const cause of causes(error)) if (cause instanceof Failure && cause.hintMs !== undefined) return cause.hintMs;
  return undefined;
}

/** The error, its causes and the parts of an aggregate, outermost first. Bounded: a cause may be a cycle. */
function* causes(error: unknown): Generator<Error> {
  const queue: unknown[] = [error];
  for (let looked = 0; looked < 16 && queue.length > 0; looked++) {
    const next = queue.shift();
    if (!(next instanceof Error)) {
      // Prisma's driver adapters put a plain object where the cause is.
      if (typeof next === 'object' && next !== null) yield Object.assign(new Error(textOf(next, 'message') ?? textOf(next, 'originalMessage') ?? ''), { code: textOf(next, 'originalCode') ?? textOf(next, 'code') ?? kindCode(next) });
      continue;
    }
    yield next;
    if (next instanceof AggregateError) queue.push(...next.errors);
    if (next.cause !== undefined) queue.push(next.cause);
  }
}

const adapterKinds: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'P1001',
  ConnectionClosed: 'P1017',
  SocketTimeout: 'ETIMEDOUT',
  TooManyConnections: '08004',
};
function kindCode(cause: object): string | null {
  const kind = textOf(cause, 'kind');
  return kind === null ? null : (adapterKinds[kind] ?? null);
}

function codeOf(error: Error): string | null {
  return textOf(error, 'code');
}

function textOf(holder: object, key: string): string | null {
  const value: unknown = Reflect.get(holder, key);
  return typeof value === 'string' ? value : null;
}
