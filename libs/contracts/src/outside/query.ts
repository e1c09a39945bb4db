// Queries of a database that are tools: as an administrator gives them, and as they were approved.
import { z } from 'zod';

/** @limit outside servers: rows of an answer of a query; the answer says that there are more */
const mostRows = 10_000;
const defaultRows = 100;

/** What a value of a database is here. */
const columnKinds = [
  'boolean',
  'integer',
  'bigint',
  'number',
  'decimal',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'interval',
  'uuid',
  'json',
  'bytes',
  'text',
] as const;
export type ColumnKind = (typeof columnKinds)[number];

/** A parameter or a column, with its type as the database says. */
const typed = z.object({
  name: z.string(),
  kind: z.enum(columnKinds),
  /** Whether it is an array of them. */
  isList: z.boolean(),
});
export type TypedColumn = Readonly<z.infer<typeof typed>>;

/** A query as it is registered. */
const givenQuery = z.strictObject({
  name: z.string().min(1).max(64).describe('The second part of the name of its tool.'),
  title: z.string().max(200).optional(),
  description: z.string().min(1).max(4_000).describe('For a model: what the rows are, and what it is asked for.'),
  sql: z.string().min(1).max(20_000).describe('One SELECT. `:name` stands for a parameter; values are bound, and never part of the text.'),
  parameters: z
    .record(z.string().max(64), z.record(z.string(), z.unknown()))
    .optional()
    .describe(
      'JSON Schemas by the names of parameters, such as a description, or a default, which makes one optional. Types come from the database.',
    ),
  max_rows: z.int().min(1).max(mostRows).default(defaultRows).describe(`Most rows of an answer, 1–${mostRows}.`),
  timeout_ms: z.int().min(100).max(120_000).optional().describe('Time limit of the query, in place of that of the server, 100–120,000 ms.'),
});
export type GivenQuery = Readonly<z.infer<typeof givenQuery>>;

/** @limit outside servers: queries of a database; INVALID_PARAMS */
const mostQueries = 200;
export const givenQueries = z.array(givenQuery).min(1).max(mostQueries);

/** A query as it was approved. */
export const outsideQuery = z.object({
  given: givenQuery,
  /** In the order in which the SQL names them first. */
  parameters: z.array(typed),
  columns: z.array(typed),
});
export type OutsideQuery = Readonly<z.infer<typeof outsideQuery>>;

/** Under which credential the address of a database is sealed, with its login. */
export const databaseCredential = 'database';
