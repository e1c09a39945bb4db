import type { ToolContract } from '../define-tool.js';
import { errorCodes, type ErrorCode } from '../errors.js';
import { envelopeSchema } from './envelope-schema.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { mostRestMs } from '../rest.js';
import { placeDefinitions } from './placed-definitions.js';

/** An operation of OpenAPI 3.1, with the fields that we use. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly security?: readonly object[];
}

/** Error codes that every tool may answer with, besides its own. */
const common = [
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'PERMISSION_DENIED',
  'IDEMPOTENCY_CONFLICT',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'EXECUTION_ERROR',
  'NETWORK_ERROR',
  'OVERLOADED',
  'TIMEOUT',
] as const satisfies readonly ErrorCode[];

const callHeaders = [
  header('Idempotency-Key', 'Up to 255 characters; the same key and parameters give the first answer again for 24 hours.'),
  header('Prefer', '`respond-async` for 202 at once, `wait=N` to wait 0–60 seconds first (RFC 7240).'),
  header('X-Session-Id', 'The working session of tools that have one.'),
];

/** The options of every call, as components that the operations refer to (TU-104). */
export const optionParameters: Readonly<Record<string, object>> = {
  enable_cache: option('False for an answer of its own instead of a kept one.', true),
  enable_retry: option('False for one attempt alone.', true),
  inline_files: option('False for links to files alone, without the bytes of small ones.', true),
  debug: option('True for `debug_info`: how the answer came about. Not in production.', false),
  metacognition: option('True for a second look at a success, in `metadata.metacognition`.', false),
  result: {
    in: 'query',
    required: false,
    description: '`data`: a success is its data alone, and `inline_files` is false unless it is given. An error stays an envelope.',
    schema: { enum: ['envelope', 'data'], default: 'envelope' },
  },
  run_at: {
    in: 'query',
    required: false,
    description: 'When the call runs, with an offset, within a year: 202 at once, and the state `resting` until then. Not with `delay_ms`.',
    schema: { type: 'string', format: 'date-time' },
  },
  delay_ms: {
    in: 'query',
    required: false,
    description: 'After how many milliseconds the call runs, at most a year: as `run_at`.',
    schema: { type: 'integer', minimum: 0, maximum: mostRestMs },
  },
  callback_url: {
    in: 'query',
    required: false,
    description:
      'Who is told of the end of a call that nobody waits for: an address of the origin of a webhook of the tenant, which signs it.',
    schema: { type: 'string', format: 'uri', maxLength: 2_048 },
  },
};

/** The operation `POST /tools/{name}` of one tool, and the schemas of the document that it refers to. */
export function toOpenApiOperation(contract: ToolContract): {
  readonly operation: OpenApiOperation;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  // References lead from the root of the document, so the definitions of a schema are components.
  const input = component(contract, 'input');
  const output = component(contract, 'output');
  const operation = operationOf(contract, input.schema, output.schema);
  return { operation, schemas: { ...input.definitions, ...output.definitions } };
}

function component(contract: ToolContract, side: 'input' | 'output'): ReturnType<typeof placeDefinitions> {
  const prefix = `${contract.name}-${side}`;
  const nameOf = (name: string): string => `${prefix}-${name.replaceAll(/[^\w-]/g, '_')}`;
  return placeDefinitions(toJsonSchema(contract[side], side), { at: '#/components/schemas/', nameOf, self: prefix });
}

function operationOf(contract: ToolContract, input: JsonSchema, output: JsonSchema): OpenApiOperation {
  const codes = [...new Set<ErrorCode>([...common, ...Object.values(contract.errors)])];
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].http);
  return {
    operationId: `call_${contract.name}`,
    summary: contract.title,
    description: contract.description,
    tags: [contract.served?.domain ?? contract.domain],
    ...(contract.deprecated && { deprecated: true }),
    parameters: [...callHeaders, ...Object.keys(optionParameters).map((name) => ({ $ref: `#/components/parameters/${name}` }))],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: input, examples: examplesOf(contract) } },
    },
    responses: {
      '200': {
        description: 'The result.',
        content: {
          'application/json': { schema: envelopeSchema(output) },
          'text/event-stream': {
            schema: {
              type: 'string',
              description: 'tool_progress, tool_retrying, tool_resting and tool_resumed, then tool_result or tool_error.',
            },
          },
        },
      },
      '202': { description: 'Accepted; not awaited, or at rest.', content: json({ $ref: '#/components/schemas/Accepted' }) },
      ...Object.fromEntries(
        [...byStatus].map(([status, those]) => [
          String(status),
          { description: those.map((code) => `${code}: ${errorCodes[code].advice}`).join(' · '), content: json(errorRef) },
        ]),
      ),
    },
  };
}

const errorRef: JsonSchema = { $ref: '#/components/schemas/Envelope' };

function examplesOf({ examples }: ToolContract): object {
  return Object.fromEntries(examples.map(({ input }, index) => [`example${index + 1}`, { value: input }]));
}

function header(name: string, description: string): object {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

function option(description: string, byDefault: boolean): object {
  return { in: 'query', required: false, description, schema: { type: 'boolean', default: byDefault } };
}

function json(schema: JsonSchema): object {
  return { 'application/json': { schema } };
}
