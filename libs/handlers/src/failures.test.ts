import { describe, expect, test } from '@jest/globals';
import { AnswerTooLarge } from '#lib/platform';
import { TooManyWaiting } from '#lib/sandbox';
import { Failure, failureKindOf, hintMsOf } from './failures.js';

const coded = (code: string, cause?: unknown) => Object.assign(new Error('x', { cause }), { code });

describe('why an attempt failed', () => {
  test.each([
    ['a refused connection', coded('ECONNREFUSED'), 'network'],
    ['a reset', coded('ECONNRESET'), 'network'],
    ['fetch, which hides it in its cause', new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') }), 'network'],
    ['several addresses, all refused', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]), 'network'],
    ['Prisma that reaches no database', coded('P1001'), 'network'],
    ['a driver adapter’s plain cause', Object.assign(new Error('x'), { cause: { kind: 'DatabaseNotReachable', host: 'h' } }), 'network'],
    ['Postgres shutting down', coded('57P01'), 'network'],
    ['a connection exception of Postgres', coded('08006'), 'network'],
    ['pg that lost its connection', new Error('Connection terminated unexpectedly'), 'network'],
    ['a timeout signal', new DOMException('late', 'TimeoutError'), 'timeout'],
    ['a statement timeout', coded('57014'), 'timeout'],
    ['pg’s own timeout', new Error('Query read timeout'), 'timeout'],
    ['a pool that got no connection in time', new Error('timeout exceeded when trying to connect'), 'timeout'],
    ['a connection that took too long', new Error('Connection terminated due to connection timeout'), 'timeout'],
    ['headers that never came', new TypeError('fetch failed', { cause: coded('UND_ERR_HEADERS_TIMEOUT') }), 'timeout'],
    ['a constraint', coded('P2002'), 'service'],
    ['a query that Postgres refuses', coded('42P01'), 'service'],
    ['an answer that is too large', new TypeError('terminated', { cause: new AnswerTooLarge(9) }), 'service'],
    ['what is no HTTP', new TypeError('fetch failed', { cause: coded('HPE_INVALID_CONSTANT') }), 'service'],
    ['what cannot be decompressed', new TypeError('terminated', { cause: coded('Z_DATA_ERROR') }), 'service'],
    ['a way that may not be followed', new TypeError('fetch failed', { cause: new Error('unexpected redirect') }), 'service'],
    ['more texts of a tenant than its share', new TooManyWaiting('9 wait'), 'rate-limit'],
    ['a bug', new TypeError('x is not a function'), 'internal'],
    ['text', 'text', 'internal'],
    ['nothing', undefined, 'internal'],
    ['what a client says it is', new Failure('rate-limit', 'slow'), 'rate-limit'],
    ['a client’s word under a wrapper', new Error('outer', { cause: new Failure('service', 'inner') }), 'service'],
  ] as const)('%s', (_name, error, kind) => expect(failureKindOf(error)).toBe(kind));

  test('causes that go round in a circle end', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });
    expect(failureKindOf(error)).toBe('internal');
  });

  test('a hint is found wherever it is', () => {
    expect(hintMsOf(new Error('x', { cause: new Failure('rate-limit', 'slow', { hintMs: 7 }) }))).toBe(7);
    expect(hintMsOf(new Error('x'))).toBeUndefined();
  });
});
