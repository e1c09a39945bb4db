// The bodies of an operation: which of its media types is sent, and which answer is expected.
import { z } from 'zod';
import { isJsonObject, givenFile, type FieldEncoding, type OutsideOperation } from '#lib/contracts';
import { textOf, UnusableDocument, type OpenApiDocument, type Part } from './document.js';

export const fileSchema: Part = ((): Part => {
  const { $schema: _, ...schema } = z.toJSONSchema(givenFile.describe('A file.'), { io: 'input' });
  return schema;
})();

interface ReadBody {
  readonly sent: NonNullable<OutsideOperation['body']>;
  readonly schema: unknown;
  readonly description: string | undefined;
}

/** Whether a text of this media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^[\w.*-]+\/([\w.+-]+\+)?(json|\*)(\s*;|$)/i.test(mediaType) && !/^(image|audio|video|text)\/\*/i.test(mediaType);
}

const multipart = /^multipart\/(form-data|mixed)/i;
const form = /^application\/x-www-form-urlencoded/i;
const text = /^(text\/|application\/(xml|graphql|sql|yaml|x-yaml|javascript|x-ndjson))|\+(xml|yaml)/i;

/** What a media type is good for: the smaller the number, the sooner it is taken. */
function rankOf(mediaType: string): number {
  if (isJson(mediaType)) return mediaType.includes('merge-patch') || mediaType.includes('json-patch') ? 1 : 0;
  return [multipart, form, text].findIndex((kind) => kind.test(mediaType)) + 2 || 9;
}

/** Nothing sends a body with them; documents that say one by habit mean nothing by it. */
const bodiless: readonly string[] = ['GET', 'HEAD'];

export function hasBody(method: string): boolean {
  return !bodiless.includes(method);
}

/** The body of an operation; null where it has none. @throws UnusableDocument */
export function readBody(document: OpenApiDocument, method: string, operation: Part): ReadBody | null {
  if (operation['requestBody'] === undefined) return null;
  const body = document.resolved(operation['requestBody']);
  if (!hasBody(method)) {
    if (body['required'] !== true) return null;
    throw new UnusableDocument(`it must be sent with a body, which ${method} has none of`);
  }
  const types = Object.entries(isJsonObject(body['content']) ? body['content'] : {});
  const [chosen] = types.toSorted(([a], [b]) => sorted(a, b));
  if (!chosen) return null;
  const [named, given] = chosen;
  const media = document.resolved(given);
  const mediaType = named.includes('*') ? (isJson(named) ? 'application/json' : 'application/octet-stream') : named;
  if (!/^[\w.+-]+\/[\w.+-]+(\s*;[\x20-\x7e]*)?$/.test(mediaType))
    throw new UnusableDocument(`its body has the media type '${named.slice(0, 60)}', which is none`);
  const encodings = encodingsOf(media);
  const schema = media['schema'];
  return {
    sent: { mediaType, required: body['required'] === true, ...(encodings && { encodings }) },
    schema: isRaw(mediaType) ? rawSchema(mediaType, isJsonObject(schema) ? schema : {}) : schema,
    description: textOf(body['description']),
  };
}

function sorted(a: string, b: string): number {
  return rankOf(a) - rankOf(b);
}

/** Neither fields nor JSON: the body itself. */
function isRaw(mediaType: string): boolean {
  return !isJson(mediaType) && !multipart.test(mediaType) && !form.test(mediaType);
}

export function isText(mediaType: string): boolean {
  return text.test(mediaType);
}

export function isMultipart(mediaType: string): boolean {
  return multipart.test(mediaType);
}

function rawSchema(mediaType: string, schema: Part): Part {
  return isText(mediaType) ? { type: 'string', description: textOf(schema['description']) ?? `As ${mediaType}.` } : fileSchema;
}

function encodingsOf(media: Part): Readonly<Record<string, FieldEncoding>> | null {
  const entries = Object.entries(isJsonObject(media['encoding']) ? media['encoding'] : {}).flatMap(
    ([name, given]): [string, FieldEncoding][] => {
      if (!isJsonObject(given)) return [];
      const { style, explode } = given;
      const contentType = textOf(given['contentType'])?.split(',')[0]?.trim();
      return [
        [
          name,
          {
            ...(contentType !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(contentType) && { contentType }),
            ...((style === 'form' || style === 'deepObject') && { style }),
            ...(typeof explode === 'boolean' && { explode }),
          },
        ],
      ];
    },
  );
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

interface ReadAnswer {
  readonly accept: string;
  /** Of the body of a success; undefined where none is said. */
  readonly schema: unknown;
}

const mostAccepted = 6;

/** What the service answers when all is well. */
export function readAnswer(document: OpenApiDocument, operation: Part): ReadAnswer {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  const code = Object.keys(responses)
    .toSorted()
    .find((one) => /^2(\d\d|XX)$/i.test(one));
  const response = safelyResolved(document, responses[code ?? 'default']);
  const types = Object.entries(isJsonObject(response['content']) ? response['content'] : {}).toSorted(([a], [b]) => sorted(a, b));
  const named = types
    .map(([type]) => type)
    .filter((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type))
    .slice(0, mostAccepted);
  const json = types.find(([type]) => isJson(type));
  return {
    accept: named.length > 0 ? [...new Set([...named, '*/*;q=0.1'])].join(', ') : 'application/json, */*;q=0.5',
    schema: code !== undefined && json ? safelyResolved(document, json[1])['schema'] : undefined,
  };
}

/** An answer that cannot be read costs no tool. */
function safelyResolved(document: OpenApiDocument, given: unknown): Part {
  try {
    return document.resolved(given);
  } catch (error) {
    if (error instanceof UnusableDocument) return {};
    throw error;
  }
}
