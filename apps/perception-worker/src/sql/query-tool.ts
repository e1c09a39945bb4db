import type { GivenQuery, OutsideTool, TypedColumn } from '#lib/contracts';
import { inputSchema, outputSchema, typedOf } from './column-kinds.js';
import type { Described } from './describe-statement.js';
import type { PreparedText } from './named-parameters.js';
import { UnusableQuery } from './unusable-query.js';

type Schema = Readonly<Record<string, unknown>>;

/** The tool of a query. Its types are those of the database, its words those of the query. @throws UnusableQuery */
export function queryTool(given: GivenQuery, { names }: PreparedText, described: Described): OutsideTool {
  const parameters = names.map((name, index) => ({ name, ...typedOf(described.parameters[index] ?? 0) }));
  const columns = described.columns.map(({ name, type }) => ({ name, ...typedOf(type) }));
  if (columns.length === 0) throw new UnusableQuery('it gives no columns: a query is one SELECT');
  const unused = Object.keys(given.parameters ?? {}).find((name) => !names.includes(name));
  if (unused !== undefined) throw new UnusableQuery(`its SQL has no parameter :${unused}, which 'parameters' describes`);
  const twice = columns.find(({ name }, index) => columns.findIndex((one) => one.name === name) < index);
  if (twice) throw new UnusableQuery(`it gives two columns '${twice.name}': name one of them with AS`);
  return {
    name: given.name,
    title: given.title ?? given.name,
    description: given.description,
    inputSchema: inputOf(given, parameters),
    outputSchema: outputOf(given, columns),
    annotations: { readOnlyHint: true, idempotentHint: true },
    query: { given, parameters, columns },
  };
}

function inputOf({ parameters: said = {} }: GivenQuery, parameters: readonly TypedColumn[]): Record<string, unknown> {
  const schemas = parameters.map((one): [string, Schema] => [
    one.name,
    { ...nullable(inputSchema(one), said[one.name]), ...said[one.name] },
  ]);
  const required = schemas.filter(([, schema]) => !('default' in schema)).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(schemas),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** A default that is null makes null a value. */
function nullable(schema: Schema, said: Schema | undefined): Schema {
  const { type } = schema;
  return said?.['default'] === null && type !== undefined ? { ...schema, type: [type, 'null'].flat() } : schema;
}

function outputOf({ max_rows }: GivenQuery, columns: readonly TypedColumn[]): Record<string, unknown> {
  const row = {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.name, outputSchema(column)])),
    required: columns.map(({ name }) => name),
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      rows: { type: 'array', items: row, maxItems: max_rows },
      has_more: { type: 'boolean', description: 'Whether there are rows that are not given. Narrow the question to see them.' },
    },
    required: ['rows', 'has_more'],
  };
}
