// What every answer must be: an envelope or its like, a declared status, an end.
import { tools } from '#lib/contracts';
import { isObject, objectAt, textAt } from '../grammar/json.js';
import type { Step } from '../requests/case.js';
import type { Reply } from '../requests/replies.js';
import type { Exchange } from '../requests/send.js';

export interface Fault {
  readonly rule: string;
  readonly detail: string;
}

interface Context {
  readonly step: Step;
  /** Whether an upstream answered this case wrongly. */
  readonly isSpoiled: boolean;
}

/** Statuses whose replies have no body. */
const bodiless = new Set([202, 204, 304]);

export function judgeExchange({ replies, end }: Exchange, context: Context): readonly Fault[] {
  const { step } = context;
  if (end === 'left') return replies.flatMap((reply) => (step.raw === undefined ? [] : judgeReply(reply, context)));
  if (end === 'hung') return [{ rule: 'hang', detail: 'no end of the answer within its deadline' }];
  if (end === 'cut')
    return [
      {
        rule: 'cut',
        detail: `the connection ended within the answer (${replies[0]?.status ?? 'no status'}): ${replies[0]?.text.slice(-200) ?? ''}`,
      },
    ];
  return replies.flatMap((reply) => judgeReply(reply, context));
}

function judgeReply(reply: Reply, context: Context): readonly Fault[] {
  const { status, headers, text } = reply;
  const faults: Fault[] = [];
  const add = (rule: string, detail: string): void => void faults.push({ rule, detail: `${status}: ${detail}` });
  if (status >= 500 && !isAllowed(reply, context)) add('5xx', `${text.slice(0, 400)}`);
  if (status === 503 && !headers.has('retry-after')) add('503 without Retry-After', text.slice(0, 300));
  if (!headers.has('x-trace-id')) add('no trace id', text.slice(0, 200));
  if (context.step.method === 'HEAD') return faults;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    if (!hasEnd(text)) add('stream without an end', text.slice(-300));
  } else if (type.startsWith('application/json')) {
    const body = parsed(text);
    if (body === undefined) add('invalid JSON', text.slice(0, 200));
    else if (status >= 400 && !isErrorBody(body)) add('no envelope', text.slice(0, 300));
  } else if (status >= 400) add('no envelope', `${type || 'no content type'}: ${text.slice(0, 200)}`);
  else if (text === '' && status === 200 && context.step.raw === undefined && !bodiless.has(status) && context.step.method !== 'OPTIONS')
    add('empty', '200 without a body');
  return faults;
}

/** The envelope, a JSON-RPC error, or an error in the keys of a source document. */
function isErrorBody(body: unknown): boolean {
  if (!isObject(body)) return false;
  // The board's page reads answers of its own API, which are the board's.
  if (isObject(body['error']) && 'key' in body['error'] && body['code'] === 'INVALID_REQUEST') return true;
  if (body['jsonrpc'] === '2.0')
    return isObject(body['error']) && typeof body['error']['code'] === 'number' && textAt(body['error'], 'message') !== null;
  if (body['status'] === 'error' && 'error_code' in body) return textAt(body, 'message') !== null;
  if (body['success'] !== false) return false;
  if ('metadata' in body)
    return (
      textAt(objectAt(body, 'error'), 'code') !== null &&
      textAt(objectAt(body, 'error'), 'message') !== null &&
      textAt(objectAt(body, 'metadata'), 'trace_id') !== null
    );
  return textAt(body, 'message') !== null && ('errorCode' in body || textAt(body, 'error') !== null);
}

/** What a tool whose upstream has failed says in the words of its source document. */
const nativeFailures = new Set(tools.flatMap(({ failures }) => failures?.service ?? []));

/** What an answer says of a failure that nobody else has caused. */
const ownFault = 'the fault is ours';

/** Declared: an upstream or a store that is away, overload, lateness, and a tool whose upstream answered what it must not. */
function isAllowed({ status, text }: Reply, { isSpoiled }: Context): boolean {
  if (status === 503 || status === 504) return true;
  if (status !== 500 || !isSpoiled || text.includes(ownFault)) return false;
  const body = parsed(text);
  const native = textAt(body, 'error') ?? textAt(body, 'errorCode') ?? textAt(body, 'error_code');
  return native === null ? textAt(objectAt(body, 'error'), 'code') === 'EXECUTION_ERROR' : nativeFailures.has(native);
}

// A line of a stream may hold U+2028, which ends a line for `.` and `$` alone.
const ends = [
  /^event: (tool_result|tool_error|error)$/m,
  /^data: \[DONE\]$/m,
  /^data: [^\n]*"type":"(finish|error|abort)"/m,
  /^data: [^\n]*"jsonrpc":"2\.0"/m,
];

function hasEnd(text: string): boolean {
  return ends.some((end) => end.test(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
