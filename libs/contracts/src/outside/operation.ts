// How a call of a tool becomes a request, for a tool that was made from an operation of an OpenAPI document.
import { z } from 'zod';

/** Where a parameter stands, and how its value is written there (OpenAPI 3.1, Parameter Object). */
const parameter = z.object({
  /** Its name among the fields of the input. */
  field: z.string(),
  /** Its name in the request. */
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  style: z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json']),
  explode: z.boolean(),
  allowReserved: z.boolean().optional(),
});
export type OperationParameter = Readonly<z.infer<typeof parameter>>;

/** How one field of a form is written, where it differs from what its media type says. */
const fieldEncoding = z.object({
  contentType: z.string().optional(),
  style: z.enum(['form', 'deepObject']).optional(),
  explode: z.boolean().optional(),
});
export type FieldEncoding = Readonly<z.infer<typeof fieldEncoding>>;

/** Where a credential goes: `bearer` and `basic` into the header Authorization, all others under their own name. */
const credentialPlace = z.object({
  /** The name of its scheme in the document. */
  scheme: z.string(),
  in: z.enum(['bearer', 'basic', 'header', 'query', 'cookie']),
  name: z.string(),
});
export type CredentialPlace = Readonly<z.infer<typeof credentialPlace>>;

export const outsideOperation = z.object({
  /** In capitals. */
  method: z.string(),
  /** With `{name}` in the place of each path parameter. */
  path: z.string(),
  /** The address before the path, for an operation that names one of its own. */
  base: z.string().optional(),
  parameters: z.array(parameter),
  body: z.object({ mediaType: z.string(), required: z.boolean(), encodings: z.record(z.string(), fieldEncoding).optional() }).optional(),
  accept: z.string(),
  /** Credentials, of which the first list that is held whole is sent. */
  security: z.array(z.array(credentialPlace)).optional(),
});
export type OutsideOperation = Readonly<z.infer<typeof outsideOperation>>;

/** What the tools of a server were made from. */
export const openApiSource = z.object({
  /** The address before the paths. */
  baseUrl: z.string(),
  /** Whether the registration says so, and not the document. */
  isBaseGiven: z.boolean(),
  /** Which operations were wanted, as the registration said. */
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
  /** SHA-256 of the document, in hex. */
  digest: z.string(),
  /** Operations of the document, wanted or not. */
  operations: z.int(),
  /** Bytes that the schema of a tool could have: the same when the document is read again, so that what did not change stays as it was. */
  schemaBytes: z.int(),
});
export type OpenApiSource = Readonly<z.infer<typeof openApiSource>>;

/** A file that a caller gives: its bytes in base64. */
export const givenFile = z.object({
  base64: z.base64().describe('The bytes, in base64.'),
  filename: z.string().max(255).optional(),
  mime_type: z.string().max(100).optional().describe('Such as image/png.'),
});
