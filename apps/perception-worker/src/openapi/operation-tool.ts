import { isJsonObject, type OutsideOperation, type OutsideTool } from '#lib/contracts';
import { fileSchema, isJson, readAnswer, readBody } from './body.js';
import { briefSchema, type BriefSchema, type Briefing } from './brief-schema.js';
import { textOf, UnusableDocument, type OpenApiDocument, type Part } from './document.js';
import { readParameters, type ReadParameter } from './parameters.js';
import { readSecurity } from './security.js';
import { serverAddress } from './server-address.js';

/** An operation of a document: a method of a path. */
export interface Operation {
  /** The name of its tool. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly item: Part;
  readonly given: Part;
}

export interface ToolRules {
  /** Bytes of the schema of the input. */
  readonly schemaBytes: number;
  /** Where relative addresses of the document begin. */
  readonly documentUrl: string | null;
  /** Whether the registration says where the service is, whatever the document says. */
  readonly isBaseGiven: boolean;
}

const reading: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
const repeatable: readonly string[] = [...reading, 'PUT', 'DELETE'];
/** Answers are described more briefly than what is asked: a model writes the one and reads the other. */
const answerShare = 4;
const longestDescription = 1_000;

/** The tool of an operation. @throws UnusableDocument whose message says why there is none */
export function operationTool(document: OpenApiDocument, operation: Operation, rules: ToolRules): OutsideTool {
  const { name, method, path, item, given } = operation;
  if (!path.startsWith('/')) throw new UnusableDocument("its path must begin with '/'");
  const parameters = readParameters(document, path, [item, given]);
  const body = readBody(document, method, given);
  const answer = readAnswer(document, given);
  const security = readSecurity(document, given);
  const base = rules.isBaseGiven ? undefined : serverAddress(given['servers'] ?? item['servers'], rules.documentUrl);
  const sent: OutsideOperation = {
    method,
    path,
    ...(base !== undefined && { base }),
    parameters: parameters.map(({ placed }) => placed),
    ...(body && { body: body.sent }),
    accept: method === 'HEAD' ? '*/*' : answer.accept,
    ...(security && { security: security.map((list) => [...list]) }),
  };
  const isFiles = body !== null && !isJson(body.sent.mediaType);
  const input = inputSchema(parameters, body && { ...body, required: body.sent.required });
  const briefing: Briefing = { side: 'request', bytes: rules.schemaBytes, ...(isFiles && { file: fileSchema }) };
  const asked = briefSchema(document, input, briefing);
  const told = answerSchema(document, answer.schema, Math.floor(rules.schemaBytes / answerShare));
  const reads = reading.includes(method);
  return {
    name,
    title: textOf(given['summary'])?.slice(0, 200).toWellFormed() || name,
    description: descriptionOf(operation, asked),
    inputSchema: { ...asked.schema },
    ...(told && { outputSchema: { ...told } }),
    annotations: { readOnlyHint: reads, idempotentHint: repeatable.includes(method), destructiveHint: method === 'DELETE' },
    operation: sent,
  };
}

function descriptionOf({ given, method, path }: Operation, { levels }: BriefSchema): string {
  const said = [textOf(given['summary']), textOf(given['description'])].map((text) => text?.trim()).filter((text) => text);
  const words = [...new Set(said)].join('\n\n');
  return [
    words.length > longestDescription ? `${words.slice(0, longestDescription).toWellFormed()}…` : words,
    `${given['deprecated'] === true ? 'Deprecated. ' : ''}${method} ${path}.`,
    ...(levels === null ? [] : ['Fields that lie deeper than is described here are sent as they are given.']),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

interface AskedBody {
  readonly schema: unknown;
  readonly required: boolean;
  readonly description: string | undefined;
}

function inputSchema(parameters: readonly ReadParameter[], body: AskedBody | null): Part {
  const fields = parameters.map(({ placed, schema, description }): [string, unknown] => [placed.field, described(schema, description)]);
  if (body) fields.push(['body', described(body.schema, body.description)]);
  const required = [...parameters.filter((one) => one.required).map(({ placed }) => placed.field), ...(body?.required ? ['body'] : [])];
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function described(schema: unknown, description: string | undefined): unknown {
  if (!isJsonObject(schema)) return description === undefined ? {} : { description };
  return description === undefined ? schema : { ...schema, description };
}

/** What a call answers: the status, the body, and what the header Link and others say. */
function answerSchema(document: OpenApiDocument, schema: unknown, bytes: number): Part | null {
  if (!isJsonObject(schema)) return null;
  const { $defs, ...body } = briefSchema(document, schema, { side: 'response', bytes }).schema;
  if (Object.keys(body).length === 0) return null;
  const properties = {
    status: { type: 'integer' },
    body,
    links: { type: 'object', description: 'Addresses of the header Link: next, prev, …' },
  };
  return { type: 'object', properties, required: ['status'], ...($defs !== undefined && { $defs }) };
}
