import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, test } from '@jest/globals';
import { AddressRefused, AnswerTooLarge } from '#lib/platform';
import { Failure } from '#lib/handlers';
import { cannotHaveRun, describeUnusable, httpFailure, upstreamFailure } from './upstream-failure.js';

const http = (status: number): SdkHttpError => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status });
const sdk = (code: SdkErrorCode, cause?: unknown): SdkError => Object.assign(new SdkError(code, 'said by the SDK'), cause ? { cause } : {});
const system = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.1`), { code });

describe('an error of a call', () => {
  test.each<[string, unknown, object]>([
    [
      'of an address that may not be asked',
      new AddressRefused('the host x is in a private network'),
      { kind: 'service', message: expect.stringContaining('may not be asked') },
    ],
    ['with that beneath', new TypeError('fetch failed', { cause: new AddressRefused('no') }), { kind: 'service' }],
    ['of an answer that is too large', new AnswerTooLarge(9), { kind: 'service', message: expect.stringContaining('more than 9 bytes') }],
    ['of a forgotten session', http(404), { kind: 'network', message: 'docs has forgotten the session' }],
    ['of a limit', http(429), { kind: 'rate-limit' }],
    ['of the server', http(500), { kind: 'service', message: 'docs answered with 500' }],
    ['of a missing credential', http(401), { kind: 'service' }],
    ['of an answer that did not come', sdk(SdkErrorCode.RequestTimeout), { kind: 'timeout' }],
    ['of a closed connection', sdk(SdkErrorCode.ConnectionClosed), { kind: 'network' }],
    ['of no connection', sdk(SdkErrorCode.NotConnected), { kind: 'network' }],
    ['of a request that could not be sent', sdk(SdkErrorCode.SendFailed), { kind: 'network' }],
    [
      'of the protocol',
      sdk(SdkErrorCode.InvalidResult),
      { kind: 'service', message: expect.stringContaining('does not keep to the protocol') },
    ],
  ])('%s is told apart', (_what, error, failure) => {
    expect(upstreamFailure('docs', error)).toMatchObject({ name: 'Failure', ...failure });
  });

  test('that is a failure already stays the same', () => {
    const failure = new Failure('rate-limit', 'later');
    expect(upstreamFailure('docs', failure)).toBe(failure);
  });

  test.each<[string, unknown]>([
    ['no error of a client', new TypeError('a fault of ours')],
    ['no error at all', 'words'],
    ['a connection that was refused', system('ECONNREFUSED')],
    ['a connection that was refused, within the SDK', sdk(SdkErrorCode.EraNegotiationFailed, system('ECONNREFUSED'))],
  ])('is left to be judged by its cause when it is %s', (_what, error) => expect(upstreamFailure('docs', error)).toBeNull());

  test('is never searched without end', () => {
    const circle = new Error('a');
    circle.cause = circle;
    expect(upstreamFailure('docs', circle)).toBeNull();
  });
});

describe('a status', () => {
  test.each([
    ['5', 5_000],
    ['0', 0],
    ['999999', 86_400_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    [null, undefined],
  ])('429 with Retry-After %j hints at %s ms', (retryAfter, hintMs) => {
    expect(httpFailure('docs', 429, { retryAfter })).toMatchObject({ kind: 'rate-limit', hintMs });
  });

  test('keeps the cause, and nothing of it in the message', () => {
    const cause = new Error('secret words of the server');
    expect(httpFailure('docs', 502, { cause })).toMatchObject({ message: 'docs answered with 502', cause });
  });
});

describe('a call that failed', () => {
  test.each<[string, unknown, boolean]>([
    ['by a limit', httpFailure('docs', 429), true],
    ['for a forgotten session', http(404), true],
    ['at a closed port', new TypeError('fetch failed', { cause: system('ECONNREFUSED') }), true],
    ['at an unknown host', new TypeError('fetch failed', { cause: system('ENOTFOUND') }), true],
    ['by a cut connection', new TypeError('fetch failed', { cause: system('ECONNRESET') }), false],
    ['by a fault of the server', http(500), false],
    ['for no known reason', new Error('?'), false],
  ])('%s cannot have run: %s', (_how, error, isSure) => expect(cannotHaveRun(error)).toBe(isSure));
});

describe('a server that cannot be registered', () => {
  test.each<[string, unknown, RegExp]>([
    ['at another path', http(404), /is the path right\? Servers of MCP often stand at \/mcp/],
    ['that takes no POST', http(405), /is the path right/],
    ['that wants a credential', http(401), /credential in 'headers'/],
    ['that refuses ours', http(403), /credential in 'headers'/],
    ['with a fault', http(500), /answered with 500$/],
    ['that does not run', system('ECONNREFUSED'), /is the server running, and is this its port/],
    ['that has no address', new TypeError('fetch failed', { cause: system('ENOTFOUND') }), /no such host/],
    ['that cannot be looked up now', system('EAI_AGAIN'), /no such host/],
    ['whose certificate is not good', system('ECERT'), /could not be asked \(ECERT\)/],
    ['whose fault has a code beneath', sdk(SdkErrorCode.EraNegotiationFailed, system('ECONNREFUSED')), /refuses connections/],
    ['that gives no answer', sdk(SdkErrorCode.RequestTimeout), /gave no answer in time/],
    ['for reasons unknown', new Error('?'), /^https:\/\/x could not be asked$/],
  ])('%s is described with what to look at', (_what, error, message) => expect(describeUnusable('https://x', error)).toMatch(message));
});
