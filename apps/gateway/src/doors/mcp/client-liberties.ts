// Messages of clients as they are meant. Real clients say null for nothing and leave out what the standard asks for; none of it does harm.
// What cannot be meant is a fault in words: the SDK answers with a dump of its schema.
import { isJsonObject } from '#lib/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { isInitializeRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';

type Fields = Readonly<Record<string, unknown>>;

export interface JsonRpcFault {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

export type ReadMessages =
  | {
      readonly fault: null;
      /** Null where nothing is asked. */
      readonly body: unknown;
      /** Ids that the SDK does not take, by those that stand for them. */
      readonly ids: ReadonlyMap<string, unknown>;
    }
  | { readonly fault: JsonRpcFault };

const [invalidRequest, invalidParams] = [-32_600, -32_602];
/** The revision of a client that names none. */
const firstStreamable = '2025-03-26';
const revisionHeader = 'mcp-protocol-version';
/** Stands before an id that stands for another; no client makes such ids. */
const standIn = 'invoq-stands-for-';

class Fault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly id: unknown,
  ) {
    super(message);
  }
}

/** The body of a POST as the SDK takes it. */
export function readMessages(body: unknown): ReadMessages {
  const ids = new Map<string, unknown>();
  try {
    if (!Array.isArray(body)) return { fault: null, body: answersNothing(body) ? null : messageOf(body, ids), ids };
    if (body.length === 0) throw new Fault(invalidRequest, 'The batch is empty: it must hold at least one message', null);
    const messages = body.filter((message: unknown) => !answersNothing(message)).map((message: unknown) => messageOf(message, ids));
    return { fault: null, body: messages.length === 0 ? null : messages, ids };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const id = typeof error.id === 'string' || typeof error.id === 'number' ? error.id : null;
    return { fault: { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } } };
  }
}

/** What a client says to a message that it could not read. */
function answersNothing(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === undefined && message['id'] === null && isJsonObject(message['error']);
}

function messageOf(given: unknown, ids: Map<string, unknown>): unknown {
  if (!isJsonObject(given)) throw new Fault(invalidRequest, `The message must be a JSON object, not ${nameOf(given)}`, null);
  if (given['method'] === undefined && isJSONRPCResponse(given)) return given;
  const { method, params, id } = given;
  if (typeof method !== 'string') throw new Fault(invalidRequest, `'method' must be text, not ${nameOf(method)}`, id);
  return {
    jsonrpc: '2.0',
    ...idOf(given, method, ids),
    method,
    ...paramsOf(method, { params, id }),
  };
}

/** A number that is none of integers, or null, is an id to JSON-RPC and none to the SDK. */
function idOf(message: Fields, method: string, ids: Map<string, unknown>): Fields {
  const { id } = message;
  if (!('id' in message) || (id === null && method.startsWith('notifications/'))) return {};
  if (typeof id === 'string' || Number.isSafeInteger(id)) return { id };
  if (id !== null && typeof id !== 'number') throw new Fault(invalidRequest, `'id' must be text or a number, not ${nameOf(id)}`, null);
  const stand = `${standIn}${ids.size}`;
  ids.set(stand, id);
  return { id: stand };
}

function paramsOf(method: string, { params, id }: { readonly params: unknown; readonly id: unknown }): Fields {
  if (params === undefined || params === null || (Array.isArray(params) && params.length === 0))
    return method === 'initialize' ? { params: greetingOf({}) } : method === 'tools/call' ? { params: callOf({}, id) } : {};
  if (!isJsonObject(params)) throw new Fault(invalidParams, `'params' must be an object, not ${nameOf(params)}`, id);
  const { _meta, ...named } = params;
  const kept = { ...withoutNull(named, 'cursor', 'task'), ...(isJsonObject(_meta) && { _meta: metaOf(_meta) }) };
  if ('cursor' in kept && typeof kept.cursor !== 'string')
    throw new Fault(invalidParams, `'params.cursor' must be text, not ${nameOf(kept.cursor)}`, id);
  if (method === 'initialize') return { params: greetingOf(kept) };
  return { params: method === 'tools/call' ? callOf(kept, id) : kept };
}

function callOf({ arguments: given, ...params }: Fields, id: unknown): Fields {
  if (typeof params['name'] !== 'string')
    throw new Fault(invalidParams, `'params.name' must be the name of a tool, not ${nameOf(params['name'])}`, id);
  if (given === undefined || given === null) return params;
  if (!isJsonObject(given)) throw new Fault(invalidParams, `'params.arguments' must be an object, not ${nameOf(given)}`, id);
  return { ...params, arguments: given };
}

/**
 * The headers of a request as the SDK takes them. A body that was read is JSON, whatever the client calls it; a revision that is named twice is
 * that revision, and an empty one is none.
 */
export function headersForSdk(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { [revisionHeader]: revision = '', ...others } = headers;
  const named = [
    ...new Set(
      String(revision)
        .split(',')
        .map((one) => one.trim()),
    ),
  ].filter((one) => one !== '');
  return {
    ...others,
    ...(named.length > 0 && { [revisionHeader]: named.join(', ') }),
    ...(headers['content-type'] !== undefined && { 'content-type': 'application/json' }),
  };
}

/** What the standard asks a client to say of itself, and many do not. */
function greetingOf(params: Fields): Fields {
  const { protocolVersion, capabilities, clientInfo } = params;
  const said = isJsonObject(clientInfo) ? clientInfo : {};
  const able = Object.entries(isJsonObject(capabilities) ? capabilities : {}).flatMap(([name, part]): [string, unknown][] =>
    part === true ? [[name, {}]] : isJsonObject(part) ? [[name, part]] : [],
  );
  const greeting = {
    ...params,
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : firstStreamable,
    capabilities: Object.fromEntries(able),
    clientInfo: { ...said, name: textOr(said['name'], 'client'), version: textOr(said['version'], '0') },
  };
  const isRead = isInitializeRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params: greeting });
  // Nothing is asked of a client whose abilities cannot be read.
  const { name, version } = greeting.clientInfo;
  return isRead ? greeting : { protocolVersion: greeting.protocolVersion, capabilities: {}, clientInfo: { name, version } };
}

/** Whoever cannot be told of progress gets none. */
function metaOf({ progressToken: token, ...meta }: Fields): Fields {
  return typeof token === 'string' || Number.isSafeInteger(token) ? { ...meta, progressToken: token } : meta;
}

function withoutNull(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => !names.includes(key) || value !== null));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object';
}
