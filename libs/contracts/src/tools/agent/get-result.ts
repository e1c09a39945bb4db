import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { secret } from '../../marks.js';

/** The parts of a result that a model gets cut. */
export const getResult = defineTool({
  name: 'get_result',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Read on in a long result',
  description:
    'Read on in a result that was cut because it is long. Takes the result_id and the offset that the cut result names, and gives a part of its JSON, and the offset of the next part.',
  zh: {
    title: '续读长结果',
    description: '继续读取因过长而被截断的结果。传入其中给出的 result_id 和 offset，得到其 JSON 的一部分和下一部分的 offset。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    result_id: z.string().min(1).max(500).describe('result_id of the cut result.'),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe('Where the part begins, 0–1000000000. 0 is the beginning.'),
    limit: z.int().min(1).max(1_000_000).default(20_000).describe('The most characters, 1–1000000. You may get fewer.'),
  }),
  output: z.strictObject({
    result_id: z.string(),
    tool_name: z.string().describe('The tool whose result it is.'),
    characters: z.int().describe('Of the whole.'),
    offset: z.int(),
    next_offset: z.int().nullable().describe('null at the end.'),
    // The whole may have secrets, which are sealed.
    text: secret(z.string()).describe('A part of the JSON of the result.'),
  }),
  errors: { NO_SUCH_RESULT: 'RESOURCE_NOT_FOUND', NO_RESULT: 'CONFLICT', BAD_OFFSET: 'INVALID_PARAMS', ALREADY_READ: 'RESULT_CONSUMED' },
  timeoutMs: 20_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: { input: 60, output: { min: 60, typical: 6_000, max: 300_000 } },
  examples: [
    {
      input: { result_id: 'inv_profile_0190f3a1c1b27c0e9a51', offset: 39_000, limit: 20_000 },
      output: {
        result_id: 'inv_profile_0190f3a1c1b27c0e9a51',
        tool_name: 'list_orders',
        characters: 39_041,
        offset: 39_000,
        next_offset: null,
        text: '{"order":"A-7731","total":12}],"more":0}',
      },
    },
  ],
});
