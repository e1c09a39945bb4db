import { z } from 'zod';
import type { ListedTool, rulesOf } from './rules.js';

const openaiList = z.object({
  tools: z.array(
    z.object({
      function: z.object({ name: z.string(), description: z.string(), parameters: z.unknown(), strict: z.boolean().default(false) }),
    }),
  ),
});
const anthropicList = z.object({
  tools: z.array(z.object({ name: z.string(), description: z.string(), input_schema: z.unknown(), strict: z.boolean().default(false) })),
});

/** The tools of `GET /tools?format=`, by the format. */
export const listedIn: Readonly<Record<keyof typeof rulesOf, (body: unknown) => readonly ListedTool[]>> = {
  openai: (body) => openaiList.parse(body).tools.map((tool) => tool.function),
  anthropic: (body) => anthropicList.parse(body).tools.map(({ input_schema: parameters, ...rest }) => ({ ...rest, parameters })),
};
