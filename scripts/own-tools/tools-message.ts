import { z } from 'zod';

/** What the process of a user's tools says. */
export const toolsMessage = z.discriminatedUnion('kind', [
  /** All files are loaded: from now on it may get calls. */
  z.object({ kind: z.literal('loaded') }),
  /** The gateway has taken the tools. */
  z.object({
    kind: z.literal('ready'),
    /** The files that it has loaded, without those of packages. */
    files: z.array(z.string()),
    /** The names of the tools that may be called now. */
    served: z.array(z.string()),
  }),
]);

export type ToolsMessage = z.output<typeof toolsMessage>;
export type ToolsReady = Extract<ToolsMessage, { kind: 'ready' }>;
