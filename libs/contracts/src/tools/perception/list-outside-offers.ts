import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { approvedServer, mostServersListed } from '../../outside/offers.js';

/** Called by `/mcp` alone, which knows which servers its caller may read. */
export const listOutsideOffers = defineTool({
  internal: true,
  name: 'list_outside_offers',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Lists of outside servers',
  description: 'Read what outside servers of MCP have besides tools: the lists of their resources, resource templates and prompts.',
  zh: {
    title: '外部服务器的其他内容',
    description: '读取外部 MCP 服务器除工具以外的内容：资源、资源模板和提示词的列表。',
  },
  domain: 'perception',
  effect: 'read',
  input: z.strictObject({
    servers: z.array(approvedServer).min(1).max(mostServersListed).describe('The servers to ask, at the same time.'),
  }),
  output: z.strictObject({
    servers: z
      .array(
        z.strictObject({
          server: approvedServer,
          fault: z.string().nullable().describe('Why it has no lists.'),
          offers: sensitive(z.looseObject({}).nullable()).describe('Its lists: resources, templates, prompts; null where it has none.'),
        }),
      )
      .describe('One for each server, in the same order.'),
  }),
  errors: {},
  timeoutMs: 15_000,
  estimatedTokens: { input: 50, output: { typical: 500 } },
  examples: [
    {
      input: { servers: [{ tenant: null, server: 'everything', approval: 1 }] },
      output: {
        servers: [
          {
            server: { tenant: null, server: 'everything', approval: 1 },
            fault: null,
            offers: { resources: [{ uri: 'demo://resource/static/features.md', name: 'features.md' }], templates: [], prompts: [] },
          },
        ],
      },
    },
  ],
});
