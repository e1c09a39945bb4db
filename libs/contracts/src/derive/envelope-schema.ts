import { errorCodes } from '../errors.js';
import type { JsonSchema } from './json-schema.js';
import { placeDefinitions } from './placed-definitions.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const milliseconds = (description: string): JsonSchema => ({ type: 'number', minimum: 0, description });

const performance: JsonSchema = {
  type: 'object',
  properties: {
    validation_ms: milliseconds('Until the call was accepted.'),
    queue_ms: milliseconds('Waiting for a worker.'),
    network_ms: milliseconds('Waiting for upstreams and stores.'),
    processing_ms: milliseconds('The rest of the handler.'),
    total_ms: milliseconds('From acceptance to the end.'),
  },
};

const metadata: JsonSchema = {
  type: 'object',
  properties: {
    tool_name: text('The tool that answered.'),
    timestamp: { type: 'string', format: 'date-time', description: 'UTC.' },
    trace_id: text('Quote it when reporting a fault; GET /traces/{trace_id} shows what the call did.'),
    execution_time_ms: milliseconds('Handler time of the last attempt; 0 on a cache hit.'),
    performance,
    cache: {
      type: 'object',
      properties: { hit: { type: 'boolean' }, cached_at: { type: 'string', format: 'date-time' }, ttl_remaining: { type: 'number' } },
      required: ['hit'],
    },
    job_id: text('The job that ran the call.'),
    attempts: { type: 'integer', minimum: 0 },
    tool_version: text('Semantic version.'),
    result_id: text('Of an answer that was shared: GET /results/{result_id} reads it in parts, as it does by the job_id of others.'),
    cost: {
      type: 'object',
      properties: { micros: { type: 'integer', minimum: 0, description: 'Millionths of a US dollar.' } },
      required: ['micros'],
      description: 'What the call cost, where it ran and its tool says so.',
    },
    metacognition: { type: 'object', description: 'What a second look found, for those who asked.' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['tool_name', 'timestamp', 'trace_id'],
};

const error: JsonSchema = {
  type: 'object',
  properties: {
    code: text(`One of ${Object.keys(errorCodes).join(', ')}, or a code that the tool's definition names.`),
    native_code: text("The literal of the tool's own source document."),
    message: text('What is wrong and what would be right.'),
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
    hint: text('What to do about it.'),
    details: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } }, required: ['path', 'message'] },
    },
    retry_after_ms: { type: 'integer', minimum: 0 },
  },
  required: ['code', 'message', 'retryable'],
};

const plainText: JsonSchema = { type: 'string' };
/** The fields that every client reads. Lists of tools become part of a model's context, where each word costs money. */
const brief = {
  error: {
    type: 'object',
    properties: { code: plainText, message: plainText, retryable: { type: 'boolean' } },
    required: ['code', 'message', 'retryable'],
  },
  metadata: {
    type: 'object',
    properties: { tool_name: plainText, timestamp: plainText, trace_id: plainText },
    required: ['tool_name', 'timestamp', 'trace_id'],
  },
} as const satisfies Record<string, JsonSchema>;

/** Definitions belong to the root, and so does what refers to the data itself. */
function within(data: JsonSchema): { readonly shape: JsonSchema; readonly $defs?: Readonly<Record<string, JsonSchema>> } {
  const { schema, definitions } = placeDefinitions(data, { at: '#/$defs/', nameOf: (name) => name, self: 'data' });
  return { shape: schema, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
}

/** The same schema without descriptions and rare fields, for lists of many tools. */
export function briefEnvelopeSchema(data: JsonSchema): JsonSchema & { readonly type: 'object' } {
  const { shape, $defs } = within(data);
  const success: JsonSchema = { type: 'boolean' };
  return {
    type: 'object',
    properties: { success, status: { type: 'string', enum: ['success', 'error'] }, data: shape, ...brief },
    required: ['success', 'status', 'metadata'],
    ...($defs !== undefined && { $defs }),
  };
}

/** JSON Schema of the unified envelope (TU-18…28) around one tool's data. */
export function envelopeSchema(data: JsonSchema): JsonSchema & { readonly type: 'object' } {
  const { shape, $defs } = within(data);
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      status: { type: 'string', enum: ['success', 'error'] },
      data: shape,
      error,
      metadata,
      debug_info: { type: 'object', description: 'With the option debug, outside production.' },
    },
    required: ['success', 'status', 'metadata'],
    ...($defs !== undefined && { $defs }),
  };
}
