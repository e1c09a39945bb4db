// A service that checks every request against an OpenAPI document, with credentials, and answers 200; what the document does not allow
// is refused in words. The document itself is at
// /the-document, its security schemes at /the-schemes.
import { readFileSync } from 'node:fs';
import express from 'express';
import { middleware } from 'express-openapi-validator';
import { parse } from 'yaml';

const [port, file] = process.argv.slice(2);
const read = readFileSync(file, 'utf8');
const left = new Set(['default', 'example', 'examples']);
const document = { ...(file.endsWith('.json') ? JSON.parse(read) : parse(read)), servers: [{ url: '/' }] };
const apiSpec = plainly(withNamedParts(withOwnParameters(document)));

const app = express();
app.set('query parser', 'extended');
app.get('/the-document', (_request, response) => response.type(file.endsWith('.json') ? 'json' : 'yaml').send(read));
app.get('/the-schemes', (_request, response) => response.json(apiSpec.components?.securitySchemes ?? {}));
app.use(express.json({ type: (request) => /[/+]json/.test(request.headers['content-type'] ?? ''), strict: false, limit: '8mb' }));
app.use(express.urlencoded({ extended: true, limit: '8mb' }));
app.use(express.text({ type: ['text/*', 'application/xml', '*/*+xml'], limit: '8mb' }));
app.use(express.raw({ type: ['application/octet-stream', 'image/*', 'application/zip', 'application/tar+gzip'], limit: '8mb' }));
// Documents of services are not all valid by the letter; what they say of requests is what is checked.
const checker = (validateRequests) => {
  const router = express.Router();
  const spec = structuredClone(apiSpec);
  router.use(middleware({ apiSpec: spec, validateApiSpec: false, validateRequests, validateResponses: false, validateSecurity: true }));
  return router;
};
const check = checker(true);
/** Every value of a form is a text, which is read as what the document says. Made when it is needed: large documents take seconds. */
let checkForm;
app.use((request, response, next) => {
  const isForm = /urlencoded|multipart/.test(request.headers['content-type'] ?? '');
  return (isForm ? (checkForm ??= checker({ coerceTypes: 'array' })) : check)(request, response, next);
});
app.use((request, response) => response.json({ checked: true, method: request.method, path: request.openapi?.openApiRoute ?? null }));
// Express knows a handler of errors by its four parameters.
// oxlint-disable-next-line max-params
app.use((error, request, response, _next) => {
  const { status = 500, message } = error;
  response.status(status).json({ checked: false, message, at: `${request.method} ${request.url}`, errors: error.errors });
});
app.listen(Number(port), '127.0.0.1');

/** The checker finds parameters among the components alone, and documents refer to those of other operations too. */
function withOwnParameters({ paths, ...rest }) {
  const ownOf = (given) => given?.map((one) => found({ paths, ...rest }, one));
  const withOwn = (part) => (Array.isArray(part?.parameters) ? { ...part, parameters: ownOf(part.parameters) } : part);
  const own = Object.entries(paths).map(([path, operations]) => {
    const all = Object.entries(withOwn(operations)).map(([key, value]) => [key, key === 'parameters' ? value : withOwn(value)]);
    return [path, Object.fromEntries(all)];
  });
  return { ...rest, paths: Object.fromEntries(own) };
}

function isPattern(given) {
  try {
    new RegExp(given, 'u');
    return true;
  } catch {
    return false;
  }
}

/** What is referred to within the paths has a name among the components: the checker follows references to those alone. */
function withNamedParts(whole) {
  const names = new Map();
  const schemas = {};
  const named = (part) => {
    if (Array.isArray(part)) return part.map(named);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref } = part;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/paths/'))
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, named(value)]));
    if (!names.has($ref)) {
      const name = `part${names.size + 1}`;
      names.set($ref, name);
      schemas[name] = named(found(whole, part));
    }
    return { $ref: `#/components/schemas/${names.get($ref)}` };
  };
  const { components = {}, ...rest } = named(whole);
  return { ...rest, components: { ...components, schemas: { ...components.schemas, ...schemas } } };
}

/** What stands where a reference leads that the checker cannot follow. */
function found(whole, part) {
  const { $ref } = part;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/') || $ref.startsWith('#/components/parameters/')) return part;
  const steps = $ref.slice(2).split('/');
  const target = steps.reduce((at, step) => at?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')], whole);
  return target === undefined ? part : found(whole, target);
}

/**
 * As the checker takes it: `nullable` beside no `type` is refused by its own reader and said in another way, and a `default` would be put
 * into a request before it is checked. An `id` in an example is one of a schema to it, and
 * it fails at a pattern that is none to Unicode.
 */
function plainly(part, isByName = false) {
  if (Array.isArray(part)) return part.map((one) => plainly(one));
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([key, value]) => isByName || (!left.has(key) && !(key === 'pattern' && !isPattern(value))));
  const copy = Object.fromEntries(entries.map(([key, value]) => [key, plainly(value, !isByName && key === 'properties')]));
  if (isByName || typeof copy.nullable !== 'boolean' || copy.type !== undefined) return copy;
  const { nullable, ...rest } = copy;
  return nullable ? { anyOf: [rest, { enum: [null] }] } : rest;
}
