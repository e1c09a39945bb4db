import { z } from 'zod';
import { publishAs, toJsonSchema, type JsonSchema } from './derive/json-schema.js';
import { objectFromJsonSchema } from './derive/from-json-schema.js';
import { describeFaults, parseParameters } from './parameter-faults.js';
import { Refusal } from './errors.js';
import { relayedForm, type RelayedRequest } from './outside/relayed.js';

/** What a tool asks the caller of a call. */
export interface Question {
  /** For people. */
  readonly message: string;
  /** JSON Schema of the content of the answer: an object of plain fields, as the form mode of MCP's elicitation has it. */
  readonly schema: JsonSchema;
  /** What an outside server asks of a client, for which the form stands. */
  readonly request?: RelayedRequest;
}

/** What the caller says to it: `content` with `accept` alone. */
export interface QuestionAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** @limit calls: characters of a question to a person; the attempt fails */
export const mostQuestionCharacters = 2_000;
const mostSchemaBytes = 16_384;
/** @limit calls: fields of the form of a question; the attempt fails */
const mostFields = 50;

const plain = new Set<unknown>(['string', 'number', 'integer', 'boolean']);

/**
 * What is wrong with the schema of a question, naming the field; null where nothing is. Its fields are texts, numbers, truth values, or lists of
 * choices, so that every client can show them as a form (MCP 2025-11-25, elicitation).
 */
export function questionFault(schema: JsonSchema): string | null {
  if (Buffer.byteLength(JSON.stringify(schema)) > mostSchemaBytes) return `has more than ${mostSchemaBytes} bytes`;
  if (schema.type !== 'object') return 'must be that of an object';
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length > mostFields) return `has more than ${mostFields} fields`;
  const nested = fields.find(([, field]) => !isPlain(field) && !isChoices(field));
  if (nested) return `must have plain fields: "${nested[0]}" is neither text, number, true or false, nor a list of choices`;
  try {
    objectFromJsonSchema(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The content of a form that others wrote, in whose question it stands as they wrote it. For what `questionFault` takes. */
export function formOf(schema: JsonSchema): z.ZodObject {
  return publishAs(objectFromJsonSchema(schema), schema);
}

/** The content of an answer, checked by the schema of its question; a field that it does not ask for is a fault. Throws INVALID_PARAMS, which names the field. */
export function checkedContent(schema: JsonSchema, content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = parseParameters(z.strictObject({ content: objectFromJsonSchema(schema).strict() }), { content });
  if (parsed.success) return parsed.data.content;
  const { message, details } = describeFaults(parsed.faults);
  throw new Refusal('INVALID_PARAMS', message, { details });
}

/** The question for which people see a message and a form, and clients of MCP the request itself. */
export function relayedQuestion(message: string, request: RelayedRequest): Question {
  return { message, schema: relayedForm(request), request };
}

/** The schema of a question, from that of its content in Zod. Throws TypeError where it is none for a form. */
export function questionOf(message: string, content: z.ZodObject = z.object({})): Question {
  if (message === '' || message.length > mostQuestionCharacters)
    throw new TypeError(`A question has 1 to ${mostQuestionCharacters} characters`);
  const { $schema: _version, ...schema } = toJsonSchema(content, 'input');
  const fault = questionFault(schema);
  if (fault !== null) throw new TypeError(`The schema of a question ${fault}`);
  return { message, schema };
}

function isPlain({ type }: JsonSchema): boolean {
  return plain.has(type);
}

function isChoices({ type, items }: JsonSchema): boolean {
  if (type !== 'array' || !items) return false;
  return items.enum !== undefined || (items.anyOf ?? items.oneOf ?? []).some((choice) => choice.const !== undefined);
}
