import { domains, envelopeSchema, optionParameters, toOpenApiOperation, type ToolContract } from '#lib/contracts';
import { fixedPaths } from './fixed-paths.js';

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
 * OpenAPI 3.1 of the whole gateway, from the contracts. Every tool has a path of its own, so that a generated client has
 * its types.
 */
export function openApiDocument(contracts: readonly ToolContract[]): object {
  const toolPaths = contracts.map((contract) => [`/tools/${contract.name}`, { post: toOpenApiOperation(contract) }] as const);
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
      ...['discovery', 'calls', 'jobs', 'callers', 'mcp', 'operations'].map((name) => ({ name })),
    ],
    paths: { ...fixedPaths(), ...Object.fromEntries(toolPaths) },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT.' } },
      parameters: Object.fromEntries(Object.entries(optionParameters).map(([name, parameter]) => [name, { name, ...parameter }])),
      schemas: { Envelope: envelopeSchema({}), Accepted: accepted },
    },
  };
}
