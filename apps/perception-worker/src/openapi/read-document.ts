// Runs in a process that can be killed: what a document costs nobody knows.
import { hash } from 'node:crypto';
import { isJsonObject, fitsPattern, type OpenApiSource, type OutsideTool } from '#lib/contracts';
import { OpenApiDocument, textOf, UnusableDocument, type Part } from './document.js';
import { operationTool, type Operation, type ToolRules } from './operation-tool.js';
import { serverAddress } from './server-address.js';

export interface DocumentRequest {
  readonly text: string;
  /** Where the document is; null for one that was given. */
  readonly url: string | null;
  /** Where the service is; null for what the document says. */
  readonly baseUrl: string | null;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** As it was when the tools were approved; null for the first time. */
  readonly schemaBytes: number | null;
}

export interface DocumentTools {
  readonly tools: OutsideTool[];
  readonly malformed: { readonly tool: string; readonly reason: string }[];
  readonly source: OpenApiSource;
}

const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** @limit outside servers: operations of an OpenAPI document; INVALID_PARAMS */
const mostOperations = 5_000;
/** Bytes of all definitions together, and of the schema of one, which is made smaller where all together would be more. */
const mostBytes = 3.5 * 1024 * 1024;
const schemaBytes = [16_384, 8_192, 4_096, 2_048, 1_024] as const;

/** The tools of a document, or in words why there are none. */
export function readDocument(request: DocumentRequest): DocumentTools | { readonly unusable: string } {
  try {
    return toolsOf(request);
  } catch (error) {
    if (error instanceof UnusableDocument) return { unusable: error.message };
    throw error;
  }
}

function toolsOf({ text, url, baseUrl, include, exclude, schemaBytes: before }: DocumentRequest): DocumentTools {
  const document = new OpenApiDocument(text);
  const base = baseUrl ?? serverAddress(document.root['servers'], url) ?? url;
  if (base === null) throw new UnusableDocument("The document names no server: give 'base_url'");
  const all = operationsOf(document);
  if (all.length > mostOperations) throw new UnusableDocument(`The document has more than ${mostOperations} operations`);
  const wanted = all.filter(
    (one) => (!include || include.some((pattern) => meets(one, pattern))) && !exclude?.some((pattern) => meets(one, pattern)),
  );
  const sizes = before === null ? schemaBytes : [before];
  const made = makeAll(document, wanted, { documentUrl: url, isBaseGiven: baseUrl !== null, sizes });
  return {
    tools: made.tools,
    malformed: made.malformed,
    source: {
      baseUrl: new URL(base).href,
      isBaseGiven: baseUrl !== null,
      ...(include && { include: [...include] }),
      ...(exclude && { exclude: [...exclude] }),
      digest: digestOf(text),
      operations: all.length,
      schemaBytes: made.bytes,
    },
  };
}

export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

function makeAll(
  document: OpenApiDocument,
  operations: readonly Operation[],
  { sizes, ...rules }: Omit<ToolRules, 'schemaBytes'> & { readonly sizes: readonly number[] },
): Pick<DocumentTools, 'tools' | 'malformed'> & { readonly bytes: number } {
  const [bytes = 0, ...smaller] = sizes;
  const tools: OutsideTool[] = [];
  const malformed: { tool: string; reason: string }[] = [];
  let sum = 0;
  for (const operation of operations) {
    try {
      const tool = operationTool(document, operation, { ...rules, schemaBytes: bytes });
      sum += JSON.stringify(tool).length;
      tools.push(tool);
    } catch (error) {
      if (!(error instanceof UnusableDocument)) throw error;
      malformed.push({ tool: operation.name.slice(0, 128), reason: error.message });
    }
    if (sum > mostBytes && smaller.length > 0) return makeAll(document, operations, { ...rules, sizes: smaller });
  }
  return { tools, malformed, bytes };
}

/** Of a document's paths, each with a name of its own that no order of them changes. */
function operationsOf(document: OpenApiDocument): readonly Operation[] {
  const { paths } = document.root;
  const found = Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, given]) => {
    const item = itemOf(document, given);
    return methods.flatMap((method) => {
      const operation = item[method];
      return isJsonObject(operation) ? [{ method: method.toUpperCase(), path, item, given: operation }] : [];
    });
  });
  const said = found.map(({ given }) => textOf(given['operationId'])?.trim() ?? '');
  const counts = Map.groupBy(said, (id) => id);
  return found.map((one, index) => {
    const id = said[index] ?? '';
    const isOwn = id !== '' && id.length <= 200 && counts.get(id)?.length === 1;
    return { ...one, name: isOwn ? id : nameOf(one.method, one.path) };
  });
}

function itemOf(document: OpenApiDocument, given: unknown): Part {
  try {
    return isJsonObject(given) && given['$ref'] !== undefined ? { ...document.resolved(given), ...given } : document.resolved(given);
  } catch (error) {
    if (error instanceof UnusableDocument) return {};
    throw error;
  }
}

/** `GET /pets/{id}/toys` is `get_pets_id_toys`. */
function nameOf(method: string, path: string): string {
  return `${method.toLowerCase()}_${path}`.replaceAll(/[^a-zA-Z0-9]+/g, '_').replace(/_$/, '');
}

/** A name, a tag as `tag:pets`, or a method and path as `GET /pets/*`, with `*` for any characters. */
function meets({ name, method, path, given }: Operation, pattern: string): boolean {
  if (pattern.startsWith('tag:')) {
    const tags = Array.isArray(given['tags']) ? given['tags'] : [];
    return tags.some((tag) => typeof tag === 'string' && isLike(tag, pattern.slice(4)));
  }
  return isLike(pattern.includes('/') && pattern.includes(' ') ? `${method} ${path}` : name, pattern);
}

function isLike(text: string, pattern: string): boolean {
  return fitsPattern(pattern.toLowerCase(), text.toLowerCase());
}
