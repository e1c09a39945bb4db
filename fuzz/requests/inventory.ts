// What there is to call, as the running system tells it: a new route or tool is fuzzed without a change here.
import { isObject, listAt, objectAt, textAt, type JsonObject } from '../grammar/json.js';

export interface Operation {
  readonly method: string;
  /** Such as `/jobs/{id}`. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
  readonly bodySchema: JsonObject | null;
}

export interface Tool {
  readonly name: string;
  readonly input: JsonObject;
  readonly examples: readonly JsonObject[];
  /** The native routes of this tool, such as `/memotree/create_node`. */
  readonly native: string | null;
}

export interface Inventory {
  readonly operations: readonly Operation[];
  readonly tools: readonly Tool[];
}

/** The native routes, by the domain of a tool. */
const nativeRoutes: Readonly<Record<string, string>> = {
  profile: 'aurawell',
  knowledge: 'aurawell',
  stripe: 'stripe',
  memotree: 'memotree',
};

export async function readInventory(url: string, adminKey: string): Promise<Inventory> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${adminKey}` } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const document = await read('/openapi.json');
  const operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => operationOf(document, { method, path, operation })),
  );
  const tools = listAt(await read('/tools'), 'tools').flatMap((definition) => toolOf(definition, document));
  return { operations, tools };
}

function operationOf(
  document: unknown,
  { method, path, operation }: { readonly method: string; readonly path: string; readonly operation: unknown },
): Operation {
  const parameters = listAt(operation, 'parameters').map((parameter) => resolved(document, parameter));
  const namesIn = (place: string) => parameters.filter((one) => textAt(one, 'in') === place).flatMap((one) => textAt(one, 'name') ?? []);
  const schema = objectAt(objectAt(objectAt(operation, 'requestBody'), 'content'), 'application/json')['schema'];
  return {
    method: method.toUpperCase(),
    path,
    queryNames: namesIn('query'),
    headerNames: namesIn('header'),
    bodySchema: isObject(schema) ? schema : null,
  };
}

function resolved(document: unknown, parameter: unknown): unknown {
  const reference = textAt(parameter, '$ref');
  return reference
    ? reference
        .split('/')
        .slice(1)
        .reduce<unknown>((holder, key) => objectAt(holder, key), document)
    : parameter;
}

function toolOf(definition: unknown, document: unknown): readonly Tool[] {
  const name = textAt(definition, 'name');
  if (name === null) return [];
  const operation = objectAt(objectAt(objectAt(document, 'paths'), `/tools/${name}`), 'post');
  const content = objectAt(objectAt(objectAt(operation, 'requestBody'), 'content'), 'application/json');
  const examples = Object.values(objectAt(content, 'examples')).flatMap((example) => {
    const value = isObject(example) ? example['value'] : null;
    return isObject(value) ? [value] : [];
  });
  const own = ['parameters', 'input_schema', 'inputSchema', 'input'].map((key) => objectAt(definition, key));
  const input = [objectAt(content, 'schema'), ...own].find((schema) => Object.keys(schema).length > 0) ?? {};
  const native = nativeRoutes[String(listAt(operation, 'tags')[0])];
  return [{ name, input, examples, native: native ? `/${native}/${name}` : null }];
}
