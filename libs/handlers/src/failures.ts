import type { FailureKind } from '#lib/contracts';

/** Thrown by clients of upstreams and stores that know why they failed. Its message never holds the other side's own text. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly kind: FailureKind;
  /** How long the other side asked to be left alone. */
  readonly hintMs: number | undefined;
  /** False when the other side says that the same request would fail again. Then there is no retry, whatever the rule. */
  readonly retryable: boolean;

  constructor(kind: FailureKind, message: string, { cause, hintMs, retryable = true }: FailureOptions = {}) {
    super(message, { cause });
    this.kind = kind;
    this.hintMs = hintMs;
    this.retryable = retryable;
  }
}

interface FailureOptions {
  /** What was caught. */
  readonly cause?: unknown;
  /** How long the other side asked to be left alone, in ms. */
  readonly hintMs?: number | undefined;
  /** False: the same attempt would fail again, so there is no retry. Default true. */
  readonly retryable?: boolean;
}

/** Codes of Node, undici, pg and Prisma for a side that did not answer. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  // Postgres shutting down or starting up.
  '57P01',
  '57P02',
  '57P03',
]);
const timeoutCodes = new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', '57014', '55P03']);
/** Messages of pg that come without a code. */
const lostConnection = /^(Connection terminated|Client has encountered a connection error|Can't reach database server)/;
const noAnswerInTime =
  /^(Query read timeout|canceling statement|timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/** What `fetch` throws for an answer that is no HTTP, is cut or cannot be decompressed, where its cause is no lost connection. */
const unreadableAnswer = /^(fetch failed|terminated)$/;

/** Why an attempt failed, by the outermost cause that is known. An error code that the other side answered with is a service fault. */
export function failureKindOf(error: unknown): FailureKind {
  let answered = false;
  for (const { failure, fileStore, name, code, message } of causes(error)) {
    if (failure) return failure.kind;
    if (fileStore) return fileStore.gone ? 'internal' : 'network';
    if (name === 'TimeoutError' || timeoutCodes.has(code) || noAnswerInTime.test(message)) return 'timeout';
    if (name === 'AnswerTooLarge') return 'service';
    if (name === 'TooManyWaiting') return 'rate-limit';
    if (networkCodes.has(code) || code.startsWith('08') || lostConnection.test(message)) return 'network';
    // Prisma's codes and SQLSTATE: the database answered.
    answered ||= /^(P\d{4}|[0-9A-Z]{5})$/.test(code) || (name === 'TypeError' && unreadableAnswer.test(message));
  }
  return answered ? 'service' : 'internal';
}

/** How long the other side asked to be left alone, in ms. */
export function hintMsOf(error: unknown): number | undefined {
  for (const { failure } of causes(error)) if (failure?.hintMs !== undefined) return failure.hintMs;
  return undefined;
}

/** What the caller is told where the limit is ours and not another side's; undefined elsewhere. */
export function ownLimitMessage(error: unknown): string | undefined {
  for (const { name } of causes(error))
    if (name === 'TooManyWaiting') return 'Too many calls of your tenant wait for this tool; call again when some of them have ended';
  return undefined;
}

/** Whether another attempt makes sense at all; the contract's rule says how many. */
export function isRetryable(error: unknown): boolean {
  for (const { failure } of causes(error)) if (failure) return failure.retryable;
  return true;
}

interface Cause {
  readonly failure: Failure | null;
  /** Of the file store for what is too large for Redis; `gone` where the file is there no more. */
  readonly fileStore: { readonly gone: boolean } | null;
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Prisma's driver adapters have a plain object as the cause, whose `kind` names what happened. */
const adapterCodes: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'P1001',
  ConnectionClosed: 'P1017',
  SocketTimeout: 'ETIMEDOUT',
  TooManyConnections: '08004',
};

/** The error, its causes and the parts of an aggregate, outermost first. At most 16, because causes may form a circle. */
function* causes(error: unknown): Generator<Cause> {
  const queue: unknown[] = [error];
  for (let seen = 0; seen < 16 && queue.length > 0; seen++) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null) continue;
    yield {
      failure: next instanceof Failure ? next : null,
      fileStore: textOf(next, 'name') === 'FileStoreError' ? { gone: Reflect.get(next, 'gone') === true } : null,
      name: textOf(next, 'name'),
      code: textOf(next, 'originalCode') || textOf(next, 'code') || (adapterCodes[textOf(next, 'kind')] ?? ''),
      message: textOf(next, 'originalMessage') || textOf(next, 'message'),
    };
    if ('errors' in next && Array.isArray(next.errors)) queue.push(...next.errors);
    if ('cause' in next) queue.push(next.cause);
  }
}

function textOf(holder: object, key: string): string {
  const value: unknown = Reflect.get(holder, key);
  return typeof value === 'string' ? value : '';
}
