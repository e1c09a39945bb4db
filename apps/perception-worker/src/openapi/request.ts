// The request that a call of an operation is.
import { isJsonObject, givenFile, type CredentialPlace, type OutsideOperation } from '#lib/contracts';
import { hasBody, isJson, isMultipart, isText } from './body.js';
import { MultipartForm } from './multipart-form.js';
import { encoderOf, headerText, pairsOf, pathText, plainText, type Pair } from './styles.js';

/** The input makes no request. The message names the field and says what is wrong with it. */
export class UnsendableInput extends Error {
  override readonly name = 'UnsendableInput';
}

export interface OutsideRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials: sent to the server of the registration, and nowhere that it redirects to. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

interface Given {
  readonly input: Readonly<Record<string, unknown>>;
  /** The address before the path. */
  readonly baseUrl: string;
  /** By the schemes of the document. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The header, in small letters, in which the account of the caller goes; null for none. What a scheme has there is not sent. */
  readonly accountHeader?: string | null;
}

/** @throws UnsendableInput */
export async function requestOf(operation: OutsideOperation, given: Given): Promise<OutsideRequest> {
  const { input, baseUrl } = given;
  const base = new URL(operation.base ?? baseUrl);
  const isHome = base.origin === new URL(baseUrl).origin;
  const credentials = isHome ? placedCredentials(operation, given) : [];
  const headers: Record<string, string> = { accept: operation.accept };
  const cookies: Pair[] = [];
  const query: Pair[] = [];
  for (const parameter of operation.parameters) {
    const value = valueOf(input, parameter.field);
    if (value === undefined || value === null) continue;
    if (parameter.in === 'query') query.push(...pairsOf(parameter, value, encoderOf(parameter)));
    else if (parameter.in === 'cookie') cookies.push(...pairsOf(parameter, value));
    else if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = sendable(parameter.field, headerText(parameter, value));
  }
  const secretCookies = credentials
    .filter(({ place }) => place.in === 'cookie')
    .map(({ place, value }): Pair => [place.name, encodeURIComponent(value)]);
  const secrets = Object.fromEntries(credentials.flatMap(headerOf));
  if (cookies.length > 0) headers['cookie'] = cookieOf(cookies);
  if (secretCookies.length > 0) secrets['cookie'] = cookieOf([...cookies, ...secretCookies]);
  const secretQuery = credentials.filter(({ place }) => place.in === 'query');
  const names = new Set(secretQuery.map(({ place }) => encodeURIComponent(place.name)));
  const pairs = [
    ...query.filter(([name]) => !names.has(name)),
    ...secretQuery.map(({ place, value }): Pair => [encodeURIComponent(place.name), encodeURIComponent(value)]),
  ];
  // Tools that were approved before may take one.
  const body = input['body'] === undefined || !hasBody(operation.method) ? null : await bodyOf(operation, input['body']);
  if (body) headers['content-type'] = body.type;
  return { url: addressOf(operation, { base, input, pairs }), method: operation.method, headers, secrets, body: body && body.bytes };
}

interface Credential {
  readonly place: CredentialPlace;
  readonly value: string;
}

/** The first list of credentials that the registration holds whole, without what the account of the caller stands for. */
function placedCredentials({ security = [] }: OutsideOperation, { credentials, accountHeader = null }: Given): readonly Credential[] {
  const isMet = ({ in: where, name }: CredentialPlace): boolean =>
    accountHeader !== null && (where === 'bearer' || where === 'header') && name === accountHeader;
  const lists = security.filter((places) => places.every((place) => isMet(place) || Object.hasOwn(credentials, place.scheme)));
  const list = lists.find((places) => places.some(isMet)) ?? lists[0];
  return (list ?? [])
    .filter((place) => !isMet(place))
    .flatMap((place) => {
      const value = credentials[place.scheme];
      return value === undefined ? [] : [{ place, value }];
    });
}

function headerOf({ place, value }: Credential): [string, string][] {
  if (place.in === 'bearer') return [['authorization', /^bearer /i.test(value) ? value : `Bearer ${value}`]];
  if (place.in === 'basic') return [['authorization', /^basic /i.test(value) ? value : `Basic ${Buffer.from(value).toString('base64')}`]];
  return place.in === 'header' ? [[place.name, value]] : [];
}

/** A document may name a parameter like what every object has. */
function valueOf(input: Given['input'], field: string): unknown {
  return Object.hasOwn(input, field) ? input[field] : undefined;
}

function cookieOf(pairs: readonly Pair[]): string {
  return pairs.map((pair) => pair.join('=')).join('; ');
}

function sendable(field: string, text: string): string {
  // What undici and every server take; a line break would be another header.
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text.trim();
  throw new UnsendableInput(`Parameter '${field}' is sent as a header: it must be one line of Latin-1 text`);
}

function addressOf(
  { path, parameters }: OutsideOperation,
  { base, input, pairs }: { readonly base: URL; readonly input: Given['input']; readonly pairs: readonly Pair[] },
): URL {
  const placed = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]));
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const parameter = placed.get(name);
    const value = parameter && valueOf(input, parameter.field);
    const text = parameter && value !== undefined && value !== null ? pathText(parameter, value) : '';
    if (text === '') throw new UnsendableInput(`Parameter '${parameter?.field ?? name}' is a part of the path: it must not be empty`);
    return text;
  });
  // A segment of dots would lead to another path than was approved, also where dots are beside what the path has.
  if (filled.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new UnsendableInput("A parameter of the path makes a part of it '.' or '..', which leads elsewhere");
  const url = new URL(base);
  const [address = '', fixed] = filled.split('#', 1)[0]?.split('?', 2) ?? [];
  url.pathname = base.pathname.replace(/\/+$/, '') + address;
  url.search = [base.search.slice(1), fixed, ...pairs.map((pair) => pair.join('='))].filter((part) => part).join('&');
  url.hash = '';
  return url;
}

interface Body {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

async function bodyOf({ body }: OutsideOperation, value: unknown): Promise<Body | null> {
  if (!body) return null;
  const { mediaType: type, encodings = {} } = body;
  if (isJson(type)) return { type, bytes: JSON.stringify(value) };
  if (isText(type)) return { type, bytes: plainText(value) };
  if (isMultipart(type)) return multipartOf(value, encodings);
  if (/^application\/x-www-form-urlencoded/i.test(type)) return { type, bytes: formOf(value, encodings) };
  const file = bytesOf('body', value);
  return { type: file.type ?? type, bytes: file.bytes };
}

type Encodings = NonNullable<NonNullable<OutsideOperation['body']>['encodings']>;

/** Fields of a form: lists again and again, objects as JSON, where nothing else is said. */
function formOf(value: unknown, encodings: Encodings): string {
  if (!isJsonObject(value)) throw new UnsendableInput("Parameter 'body' is sent as a form: it must be an object");
  const pairs = Object.entries(value).flatMap(([name, field]) => {
    const { style, explode = true, contentType } = (Object.hasOwn(encodings, name) ? encodings[name] : undefined) ?? {};
    const isJsonField = contentType !== undefined ? isJson(contentType) : style === undefined && isJsonObject(field);
    return pairsOf({ name, style: isJsonField ? 'json' : (style ?? 'form'), explode }, field);
  });
  return pairs.map((pair) => pair.join('=')).join('&');
}

function multipartOf(value: unknown, encodings: Encodings): Body {
  if (!isJsonObject(value)) throw new UnsendableInput("Parameter 'body' is sent as a form: it must be an object");
  const form = new MultipartForm();
  for (const [name, field] of Object.entries(value)) {
    const contentType = Object.hasOwn(encodings, name) ? encodings[name]?.contentType : undefined;
    for (const one of Array.isArray(field) ? field : [field]) {
      if (one === undefined || one === null) continue;
      if (isFile(one)) {
        const { bytes, filename, type } = bytesOf(`body.${name}`, one);
        form.add({ name, bytes, type: type ?? contentType ?? 'application/octet-stream', filename: filename ?? name });
      } else
        form.add({ name, bytes: Buffer.from(plainText(one)), type: contentType ?? (isJsonObject(one) ? 'application/json' : undefined) });
    }
  }
  return form.whole();
}

function isFile(value: unknown): boolean {
  return isJsonObject(value) && typeof value['base64'] === 'string' && givenFile.safeParse(value).success;
}

/** @throws UnsendableInput for what is no file */
function bytesOf(
  field: string,
  value: unknown,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly filename: string | undefined; readonly type: string | undefined } {
  const file = givenFile.safeParse(value);
  if (!file.success) throw new UnsendableInput(`Parameter '${field}' must be a file: { "base64": "…" }`);
  const { base64, filename, mime_type: type } = file.data;
  if (type !== undefined && !/^[\w.+-]+\/[\w.+-]+$/.test(type))
    throw new UnsendableInput(`Parameter '${field}.mime_type' must be a media type, such as image/png`);
  return { bytes: new Uint8Array(Buffer.from(base64, 'base64')), filename, type };
}
