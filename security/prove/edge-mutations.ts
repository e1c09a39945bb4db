import type { Mutation } from './mutation.js';

/** Mistakes in what is answered again, in what is made once, and in what is read of bodies and OpenAPI documents. */
export const edgeMutations: readonly Mutation[] = [
  {
    name: 'what comes again is answered whatever its body is',
    file: 'apps/gateway/src/doors/edge/edge.ts',
    text: 'const call = asked && head.calls.get(asked.words);',
    becomes: 'const [call] = asked ? head.calls.values() : [];',
    foundBy: 'A request in the words of one that was answered has the answer of its body',
  },
  {
    name: 'headers are no part of what comes again',
    file: 'apps/gateway/src/doors/edge/head-text.ts',
    text: 'text += `\\n${name}:${value}`;',
    becomes: "if (name.toLowerCase() === 'authorization') text += `\\n${name}:${value}`;",
    foundBy: 'A request in the words of one that was answered is refused with a header',
  },
  {
    name: 'what comes again is not counted',
    file: 'apps/gateway/src/calls/repeated-calls.ts',
    text: '!this.limits.spendAtOnce(call.caller, new Date(now))',
    becomes: '!this.limits',
    foundBy: 'Requests in the words of one that was answered have the rate of others',
  },
  {
    name: 'one OpenAPI document is told to all',
    file: 'apps/gateway/src/pages/docs.controller.ts',
    text: "this.#texts.of(tools, 'openapi', document)",
    becomes: "this.#texts.of(tools && this.routes, 'openapi', document)",
    foundBy: 'What GET /openapi.json has made for one tenant',
  },
  {
    name: 'one list of tools is told to all',
    file: 'apps/gateway/src/doors/tools.controller.ts',
    text: 'this.#texts.of(tools.catalog.tools,',
    becomes: 'this.#texts.of(tools && this.#texts,',
    foundBy: 'What GET /tools has made for one tenant',
  },
  {
    name: 'one list of MCP is told to all',
    file: 'apps/gateway/src/doors/mcp/tool-lists.ts',
    text: 'return this.#kept.of(catalog.tools,',
    becomes: 'return this.#kept.of(catalog && this.#kept,',
    foundBy: 'What tools/list of MCP has made for one tenant',
  },
  {
    name: 'a document makes parameters of any header',
    file: 'apps/perception-worker/src/openapi/parameters.ts',
    text: "if (place === 'header' && notGiven.has(name.toLowerCase())) return null;",
    becomes: "if (place === 'header' && notGiven.has(name)) return null;",
    foundBy: 'A document makes no parameter of what the connection',
  },
  {
    name: 'the service of an operation is wherever its document says',
    file: 'apps/perception-worker/src/openapi/read-document.ts',
    text: "const base = baseUrl ?? serverAddress(document.root['servers'], url) ?? url;",
    becomes: "const base = serverAddress(document.root['servers'], url) ?? baseUrl ?? url;",
    foundBy: 'What is secret in a registration goes nowhere',
  },
  {
    name: 'bodies are parsed however many values they hold',
    file: 'apps/gateway/src/http/json-body.ts',
    text: 'if (bytes.length > bytesOfAPoint && holdsTooManyValues(bytes, maxValues)) throw bodyOfTooManyValues();',
    becomes: 'if (bytes.length < 0 && holdsTooManyValues(bytes, maxValues)) throw bodyOfTooManyValues();',
    foundBy: 'POST /workers with the dearest body',
  },
  {
    name: 'a refused body is read to its end',
    file: 'apps/gateway/src/http/unread-body.ts',
    text: "if (hasMuchLeft(raw)) void reply.header('connection', 'close');",
    becomes: "if (hasMuchLeft(raw) && !raw) void reply.header('connection', 'close');",
    foundBy: 'A body that is refused is not read',
  },
];
