// Answers in the formats of the Model Context Protocol. The structured content of every tool is the envelope (C-79).
import { z } from 'zod';
import { filesIn, mapFiles } from '../file-output.js';
import { errorCodes, type ToolError } from '../errors.js';
import type { Envelope, EndState, JobState } from '../envelope.js';
import { isJsonObject } from '../json-in.js';

interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

interface LinkBlock {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

interface MediaBlock {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}

export interface McpToolResult {
  readonly content: readonly (TextBlock | LinkBlock | MediaBlock)[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A result in either form: an error in the form of data has no structured content, which the tool's schema would not allow. */
export interface McpResult extends Omit<McpToolResult, 'structuredContent'> {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const file = z.looseObject({
  url: z.url(),
  mime_type: z.string().optional(),
  content_type: z.string().optional(),
  filename: z.string().optional(),
});
const media = z.looseObject({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() });
const blocks = z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) });

/** What a model reads of the data. */
export type ForModel = (data: unknown) => unknown;

/** Data without what a model cannot read: the bytes of files and pictures. */
export function readableData(data: unknown): unknown {
  return withoutBytes(data).data;
}

/**
 * The result of a tool call: the envelope as text and as structured content. Bytes are never part of the text, which a model reads:
 * a file is a link, and a picture is a block of its own (C-27). What is too long for a model is cut in the text alone: the structured
 * content is for programs, and has to fit the schema that the tool declares.
 */
export function toMcpResult(envelope: Envelope, forModel: ForModel = (data) => data): McpToolResult {
  const { data, attached } = withoutBytes(envelope.data);
  const structuredContent = { ...envelope, ...(data !== undefined && { data }) };
  const read = envelope.success ? { ...structuredContent, data: forModel(data) } : structuredContent;
  return {
    content: [{ type: 'text', text: JSON.stringify(read) }, ...linksIn(data), ...attached],
    structuredContent,
    isError: !envelope.success,
  };
}

/**
 * The result of a tool call as its data alone: the text is the JSON of the data, since many clients give their model nothing else, and
 * `structuredContent` is the same where the data is an object, as the tool's output schema describes it. Warnings follow as text: a model
 * has to know them. The text of an error is what a model needs of it. `_meta` holds what a program may ask for later, and no more, since
 * some clients show it to their model. A file is its address in the data and no link besides: there are clients that end their agent at a
 * link (decision 86).
 */
export function toMcpDataResult({ data: given, error, metadata }: Envelope, forModel: ForModel = (data) => data): McpResult {
  const { trace_id, job_id, warnings = [], metacognition } = metadata;
  const meta = { _meta: { 'invoq/call': { trace_id, ...(job_id !== undefined && { job_id }), ...(error && { error }) } } };
  const correction = metacognition?.checked && metacognition.needs_correction ? [`Correction: ${metacognition.correction}`] : [];
  const told = [...warnings.map((warning) => `Warning: ${warning}`), ...correction].map((text) => ({ type: 'text' as const, text }));
  if (error) {
    const details = (error.details ?? []).map(({ path, message }) => ` ${path}: ${message}.`).join('');
    const text = `${error.code}: ${error.message}.${details} ${error.hint}`;
    return { content: [{ type: 'text', text }, ...told], isError: true, ...meta };
  }
  const { data, attached } = withoutBytes(given);
  const isObject = isJsonObject(data);
  return {
    content: [{ type: 'text', text: JSON.stringify(forModel(data)) ?? 'null' }, ...attached, ...told],
    ...(isObject && { structuredContent: { ...data } }),
    isError: false,
    ...meta,
  };
}

function withoutBytes(data: unknown): { readonly data: unknown; readonly attached: readonly MediaBlock[] } {
  if (!isJsonObject(data)) return { data, attached: [] };
  const { content_base64: _, ...top }: Record<string, unknown> = { ...data };
  const rest = mapFiles(top, ({ content_base64: _bytes, ...file }) => file);
  const parsed = blocks.safeParse(rest);
  if (!parsed.success) return { data: rest, attached: [] };
  const attached: MediaBlock[] = [];
  const content = parsed.data.content.map((block) => {
    const { data: bytes, ...shown } = block;
    const found = media.safeParse(block);
    if (!found.success) return block;
    const { type, data: base64, mimeType } = found.data;
    attached.push({ type, data: base64, mimeType });
    return { ...shown, bytes: typeof bytes === 'string' ? Math.floor((bytes.length * 3) / 4) : 0 };
  });
  return { data: { ...parsed.data, content }, attached };
}

function linksIn(data: unknown): readonly LinkBlock[] {
  const files = filesIn(data);
  return (files.length > 0 ? files : [data]).flatMap((one): LinkBlock[] => {
    const parsed = file.safeParse(one);
    if (!parsed.success) return [];
    const { url, filename, mime_type, content_type: mimeType = mime_type } = parsed.data;
    return [{ type: 'resource_link', uri: url, name: filename ?? 'file', ...(mimeType !== undefined && { mimeType }) }];
  });
}

interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly id: null;
  readonly error: { readonly code: number; readonly message: string; readonly data: object };
}

/** The answer to an HTTP request that contained no readable message of the protocol. */
export function toJsonRpcError(error: ToolError): JsonRpcError {
  const { code, message } = error;
  const number = error.family === 'INVALID_PARAMS' ? unreadNumber(error) : errorCodes[error.family].jsonRpc;
  return { jsonrpc: '2.0', id: null, error: { code: number, message, data: { code, retryable: errorCodes[error.family].retryable } } };
}

/** A fault of the body as a whole, whose path is empty, is a parse error; one of a header or of the query an invalid request. */
function unreadNumber({ details = [] }: ToolError): number {
  return details.some(({ path }) => path === '') ? -32_700 : -32_600;
}

export interface McpTask {
  readonly taskId: string;
  readonly status: 'working' | 'completed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

interface TaskFacts {
  readonly jobId: string;
  readonly state: JobState | EndState;
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
}

const pollIntervalMs = 500;

/**
 * A job as a task of the extension `io.modelcontextprotocol/tasks` (SEP-2663). A failed job is a completed task whose result is an
 * error; the status `failed` is for faults of the protocol.
 */
export function toMcpTask({ jobId, state, message, createdAt, updatedAt, ttlMs }: TaskFacts): McpTask {
  return {
    taskId: jobId,
    status: state === 'cancelled' ? 'cancelled' : state === 'completed' || state === 'failed' ? 'completed' : 'working',
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}
