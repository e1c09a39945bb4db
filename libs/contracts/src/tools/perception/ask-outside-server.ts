import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { approvedServer, outsideQuestion } from '../../outside/offers.js';
import { upstreamRules } from '../../upstream-rules.js';

/** Called by `/mcp` alone, which knows which servers its caller may read. */
export const askOutsideServer = defineTool({
  internal: true,
  name: 'ask_outside_server',
  version: '1.1.0',
  changelog: { '1.1.0': 'A server may act with the account of its caller.', '1.0.0': 'First version.' },
  title: 'Question to an outside server',
  description: 'Read a resource of an outside server of MCP, get one of its prompts, or complete an argument.',
  zh: {
    title: '询问外部服务器',
    description: '读取外部 MCP 服务器的资源、获取它的提示词，或补全一个参数。',
  },
  domain: 'perception',
  effect: 'read',
  input: z.strictObject({
    ...approvedServer.shape,
    ...outsideQuestion.shape,
    of: sensitive(outsideQuestion.shape.of),
    values: sensitive(outsideQuestion.shape.values),
    completes: sensitive(outsideQuestion.shape.completes),
  }),
  output: z.strictObject({ result: sensitive(z.looseObject({})).describe('What the server answers, as the protocol has it.') }),
  errors: {
    UPSTREAM_NOT_FOUND: 'RESOURCE_NOT_FOUND',
    UPSTREAM_INVALID_PARAMS: 'INVALID_PARAMS',
    UPSTREAM_REFUSED: 'EXECUTION_ERROR',
    UPSTREAM_UNUSABLE: 'EXECUTION_ERROR',
    UPSTREAM_NO_ACCOUNT: 'PERMISSION_DENIED',
    UPSTREAM_ACCOUNT_REFUSED: 'PERMISSION_DENIED',
    UPSTREAM_ACCOUNT_ELSEWHERE: 'PERMISSION_DENIED',
  },
  timeoutMs: 30_000,
  retry: upstreamRules.retry,
  estimatedTokens: { input: 50, output: { typical: 500 } },
  examples: [
    {
      input: {
        tenant: null,
        server: 'everything',
        approval: 1,
        question: 'resource',
        of: 'demo://resource/static/features.md',
      },
      output: { result: { contents: [{ uri: 'demo://resource/static/features.md', mimeType: 'text/markdown', text: '# Features' }] } },
    },
  ],
});
