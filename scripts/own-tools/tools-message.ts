import { z } from 'zod';

/** What the process of a user's tools says when the gateway has taken them. */
export const toolsMessage = z.object({
  /** The files that it has loaded, without those of packages. */
  files: z.array(z.string()),
  /** The names of the tools that may be called now. */
  served: z.array(z.string()),
});

export type ToolsMessage = z.output<typeof toolsMessage>;
