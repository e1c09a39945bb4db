// An OpenAPI document of a stranger: JSON or YAML, of which nothing is known.
import { parse } from 'yaml';
import { isJsonObject } from '#lib/contracts';

/** An object of the document. */
export type Part = Readonly<Record<string, unknown>>;

/** The document is none that tools can be made of. The message says why, and what to do. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument';
}

/** References that lead to references. */
const mostHops = 16;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What stands in a message for a value that should be a text. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A document of OpenAPI 3.0 or 3.1, whose references are followed within it alone. */
export class OpenApiDocument {
  readonly root: Part;
  readonly #found = new Map<string, unknown>();

  /** @throws UnusableDocument */
  constructor(text: string) {
    const read = readText(text);
    if (!isJsonObject(read)) throw new UnusableDocument('The document is no object of JSON or YAML');
    if (read['swagger'] !== undefined)
      throw new UnusableDocument(
        `The document is of Swagger ${wordOf(read['swagger']).slice(0, 10)}; tools are made of OpenAPI 3.0 and 3.1. Convert it first, such as with swagger2openapi`,
      );
    const version = wordOf(read['openapi']);
    if (!/^3\.[012](\.|$)/.test(version))
      throw new UnusableDocument(
        read['openapi'] === undefined
          ? "The document has no field 'openapi', so it is none of OpenAPI 3.0 or 3.1"
          : `The document is of OpenAPI ${version.slice(0, 20)}; tools are made of 3.0 and 3.1`,
      );
    this.root = read;
  }

  /** What a reference leads to; undefined where it leads nowhere or out of the document. */
  find(ref: string): unknown {
    if (!this.#found.has(ref)) this.#found.set(ref, this.#at(ref));
    return this.#found.get(ref);
  }

  #at(ref: string): unknown {
    if (ref === '#') return this.root;
    if (!ref.startsWith('#/')) return undefined;
    let part: unknown = this.root;
    for (const token of ref.slice(2).split('/')) {
      const name = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
      part = Reflect.get(part, name);
    }
    return part;
  }

  /** The object itself, or the one that its `$ref` leads to. @throws UnusableDocument that says where the reference leads instead */
  resolved(given: unknown): Part {
    let part = given;
    for (let hop = 0; isJsonObject(part) && typeof part['$ref'] === 'string'; hop++) {
      const ref = part['$ref'];
      if (hop === mostHops) throw new UnusableDocument(`its $ref '${ref.slice(0, 80)}' leads on and on`);
      part = this.find(ref);
      if (part !== undefined) continue;
      throw new UnusableDocument(
        `its $ref '${ref.slice(0, 80)}' leads ${ref.startsWith('#') ? 'nowhere' : 'to another document, which is not read: give one document with all of it'}`,
      );
    }
    return isJsonObject(part) ? part : {};
  }
}

/** JSON is read as such first: YAML takes ten times as long. */
function readText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^\s*[{[]/.test(text) && !/^\s*\{\s*\w+\s*:/.test(text)) throw unreadable('JSON', error);
  }
  try {
    // An alias stands for what it names: without a bound nine lines make a billion.
    return parse(text, { maxAliasCount: 1_000, uniqueKeys: false, logLevel: 'error' });
  } catch (error) {
    throw unreadable('YAML', error);
  }
}

function unreadable(form: string, error: unknown): UnusableDocument {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return new UnusableDocument(`The document cannot be read as ${form}: ${line.slice(0, 200)}`);
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
