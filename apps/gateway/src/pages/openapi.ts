import { domains, envelopeSchema, optionParameters, toOpenApiOperation, type OpenApiOperation, type ToolContract } from '#lib/contracts';
import type { DocumentedRoute } from '../http/route-table.js';
import { isPublic, type RouteFacts } from '../http/route.js';

const accepted = {
  type: 'object',
  properties: {
    job_id: { type: 'string' },
    state: { type: 'string' },
    tool_name: { type: 'string' },
    trace_id: { type: 'string' },
    links: {
      type: 'object',
      properties: { self: { type: 'string' }, events: { type: 'string' }, cancel: { type: 'string' } },
    },
  },
  required: ['job_id', 'state', 'tool_name', 'trace_id', 'links'],
};

/**
 * OpenAPI 3.1 of the whole gateway, from its routes and the contracts. Every tool has a path of its own, so that a generated
 * client has its types.
 */
export function openApiDocument(contracts: readonly ToolContract[], routes: readonly DocumentedRoute[]): object {
  const tools = contracts.map((contract) => ({ name: contract.name, ...toOpenApiOperation(contract) }));
  const toolPaths = tools.map(({ name, operation }) => [`/tools/${name}`, { post: operation }] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Invoq',
      version: '1',
      description: 'The tool backend of AI agents: one envelope, one trace, every tool on every door.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      ...Object.keys(domains).map((name) => ({ name, description: `Tools of the ${name} domain` })),
      ...[
        'discovery',
        'calls',
        'jobs',
        'callers',
        'chat',
        'files',
        'mcp',
        'inputs',
        'schedules',
        'batches',
        'policies',
        'toolsets',
        'budgets',
        'pauses',
        'flows',
        'webhooks',
        'accounts',
        'operations',
      ].map((name) => ({
        name,
      })),
    ],
    paths: { ...routePaths(routes), ...Object.fromEntries(toolPaths) },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT.' } },
      parameters: Object.fromEntries(Object.entries(optionParameters).map(([name, parameter]) => [name, { name, ...parameter }])),
      schemas: { Envelope: envelopeSchema({}), Accepted: accepted, ...Object.assign({}, ...tools.map(({ schemas }) => schemas)) },
    },
  };
}

/** Path → method → operation. */
function routePaths(routes: readonly DocumentedRoute[]): Record<string, Record<string, OpenApiOperation>> {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = templateOf(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

/** `/jobs/:id` → `/jobs/{id}`. */
function templateOf(pattern: string): string {
  return pattern.replaceAll(/:(\w+)/g, '{$1}');
}

function operationOf({ docs, facts, aliases }: DocumentedRoute): OpenApiOperation {
  const { id, summary, tag, parameters, body, media = 'application/json', status = 200 } = docs;
  return {
    operationId: id,
    summary,
    ...(aliases.length > 0 && { description: `Also at ${aliases.map((alias) => `\`${templateOf(alias)}\``).join(' and ')}.` }),
    tags: [tag],
    ...(parameters && {
      parameters: parameters.map(([place, name, description]) => ({
        name,
        in: place,
        required: place === 'path',
        description,
        schema: { type: 'string' },
      })),
    }),
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    ...securityOf(facts),
    responses: {
      [String(status)]: {
        description: 'As asked.',
        content: { [media]: { schema: media === 'application/json' ? { type: 'object' } : { type: 'string' } } },
      },
      default: errorOf(facts),
    },
  };
}

/** The scope that a route asks for stands with its security; OpenAPI 3.1 has it there as a role. */
function securityOf({ access = 'caller' }: RouteFacts): Pick<OpenApiOperation, 'security'> {
  if (isPublic(access)) return { security: [] };
  return access === 'caller' ? {} : { security: [{ bearer: [access] }] };
}

function errorOf({ errors = 'envelope' }: RouteFacts): object {
  if (errors === 'envelope')
    return { description: 'An error envelope.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } } };
  const description = errors === 'json-rpc' ? 'A JSON-RPC error.' : `An error in the keys of the source document ${errors}.`;
  return { description, content: { 'application/json': { schema: { type: 'object' } } } };
}
