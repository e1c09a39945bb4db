// `/mcp?tools=search`: two tools in the place of all, for a catalog of any size. A model finds a tool by words, and calls it by its name.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callToolForm, callToolName, jsonIn, nothingFoundHint, parseOrRefuse, searchToolName, type ToolContract } from '#lib/contracts';
import type { McpView } from './view.js';

const defaults = { limit: 5, maxTokens: 4_000 } as const;

const asked = z.object({
  query: z.string().trim().min(1).max(500),
  limit: z.int().min(1).max(20).default(defaults.limit),
  max_tokens: z.int().min(100).max(100_000).default(defaults.maxTokens),
});

/** What `tools/list` has in this view: under 1,000 tokens, whatever the catalog. */
export const searchTools: readonly Tool[] = [
  {
    name: searchToolName,
    title: 'Search tools',
    description:
      'Find tools by what you want to do, in English or Chinese: "create an issue", "天气". Gives the names, descriptions and parameters of those that fit best. Search before you say that something cannot be done, and try other words when nothing fits.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 500, description: 'What you want to do, in a few words.' },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: `At most so many tools. Default ${defaults.limit}.` },
        max_tokens: {
          type: 'integer',
          minimum: 100,
          maximum: 100_000,
          description: `What their definitions and typical answers may come to. Default ${defaults.maxTokens}.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { title: 'Search tools', readOnlyHint: true, openWorldHint: false },
  },
  {
    name: callToolForm.name,
    title: 'Call a tool',
    description: callToolForm.description,
    inputSchema: callToolForm.parameters,
    annotations: { title: 'Call a tool', readOnlyHint: false, openWorldHint: true },
  },
];

/** Whether a call is the search itself. */
export function isSearch(view: McpView, name: string): boolean {
  return view.searches && name === searchToolName;
}

/** What the search was asked for. Throws INVALID_PARAMS. */
export function searchAsked(given: unknown) {
  const { query, limit, max_tokens: maxTokens } = parseOrRefuse(asked, given ?? {});
  return { query, limit, maxTokens };
}

/** A tool as the search tells a model of it. */
export function foundDefinition({ name, description }: ToolContract, inputSchema: object): object {
  return { name, description, inputSchema };
}

export function searchResult(tools: readonly object[]): CallToolResult {
  const found = { tools, ...(tools.length === 0 && { hint: nothingFoundHint }) };
  return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
}

/** Of a call that names no tool, or has no parameters that can be read. */
export function isUnreadable(view: McpView, name: string): boolean {
  return view.searches && name === callToolName;
}

export const unreadable: CallToolResult = {
  isError: true,
  content: [{ type: 'text', text: `'name' must be the name of a tool, and 'arguments' an object with its parameters.` }],
};

export function noSuchTool(message: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `${message}. Find the name with ${searchToolName}.` }] };
}

/** Messages in which a call of `call_tool` is the call of the tool that it names: from here on it is a call like any other. */
export function unwrapped(body: unknown): unknown {
  return Array.isArray(body) ? body.map(unwrappedMessage) : unwrappedMessage(body);
}

const namedCall = z.looseObject({ params: z.looseObject({ name: z.string() }) });

/** A header that names the tool of the call has to name the one that is called. */
export function nameHeader({ headers }: Pick<FastifyRequest, 'headers'>, body: unknown): Readonly<Record<string, string>> {
  const call = namedCall.safeParse(body);
  return headers['mcp-name'] === callToolName && call.success ? { 'mcp-name': call.data.params.name } : {};
}

const wrappedCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.literal(callToolName), arguments: z.looseObject({ name: z.string() }) }),
});

function unwrappedMessage(message: unknown): unknown {
  const call = wrappedCall.safeParse(message);
  if (!call.success) return message;
  const { params } = call.data;
  const given = objectIn(params.arguments['arguments']);
  return given ? { ...call.data, params: { ...params, name: params.arguments.name, arguments: given } } : message;
}

/** Some models leave out parameters, or write them as the text of an object. Null for what is none. */
function objectIn(given: unknown): object | null {
  if (typeof given === 'string') return objectInText(given);
  if (given === undefined || given === null) return {};
  return typeof given === 'object' && !Array.isArray(given) ? given : null;
}

function objectInText(text: string): object | null {
  const parsed = jsonIn(text);
  return parsed === undefined || typeof parsed === 'string' ? null : objectIn(parsed);
}
