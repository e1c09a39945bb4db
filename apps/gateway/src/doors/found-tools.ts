import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { parseOrRefuse, type Caller, type ToolContract, type ToolForm } from '#lib/contracts';
import type { ToolDirectory } from '../calls/tool-directory.js';
import { ToolFinder } from './tool-finder.js';
import type { RouteParameter } from '../http/route.js';

/** Of `GET /tools`, for those that fit a request in words. */
export const foundParameters: readonly RouteParameter[] = [
  ['query', 'query', 'What a tool is wanted for, in words: only those that fit and that you may call, the best first.'],
  ['query', 'limit', 'With query: at most so many, 1–50, 10 by default.'],
  ['query', 'max_tokens', 'With query: what the definitions, each with the typical answer of its tool, may come to.'],
  [
    'query',
    'defer_loading',
    'With format=anthropic: true marks tools that a model loads when it finds them; those of query come first, without the mark.',
  ],
];

const asked = z
  .object({
    query: z.string().trim().min(1).max(500).optional(),
    limit: z.coerce.number().int().min(1).max(50).optional(),
    max_tokens: z.coerce.number().int().min(1).max(10_000_000).optional(),
    defer_loading: z.enum(['true', 'false']).optional(),
  })
  .superRefine(({ query, limit, max_tokens }, context) => {
    if (query !== undefined) return;
    for (const [path, value] of Object.entries({ limit, max_tokens }))
      if (value !== undefined) context.addIssue({ code: 'custom', path: [path], message: `${path} needs query` });
  });

export interface WantedTools {
  readonly query: string | null;
  readonly limit: number;
  readonly maxTokens: number;
  readonly defers: boolean;
}

/** What of this a request asks for; null where it is a plain list. Throws INVALID_PARAMS. */
export function wantedIn(query: Readonly<Record<string, unknown>>, form: ToolForm): WantedTools | null {
  const wanted = parseOrRefuse(
    asked.refine(({ defer_loading }) => defer_loading === undefined || form === 'anthropic', {
      path: ['defer_loading'],
      error: 'defer_loading needs format=anthropic',
    }),
    query,
  );
  const defers = wanted.defer_loading === 'true';
  if (wanted.query === undefined && !defers) return null;
  return {
    query: wanted.query ?? null,
    limit: wanted.limit ?? 10,
    maxTokens: wanted.max_tokens ?? Number.POSITIVE_INFINITY,
    defers,
  };
}

/** `GET /tools` by words. */
@Injectable()
export class FoundTools {
  constructor(private readonly finder: ToolFinder) {}

  async list(
    tools: ToolDirectory,
    { query, limit, maxTokens, defers }: WantedTools,
    {
      caller,
      shows,
      form,
    }: { readonly caller: Caller; readonly shows: (tool: ToolContract) => boolean; readonly form: (tool: ToolContract) => object },
  ): Promise<object> {
    const asker = { caller, shows, definition: form };
    const found = query === null ? [] : await this.finder.find(tools, { query, limit, maxTokens }, asker);
    const first = new Set(found.map(({ contract }) => contract));
    const rest = defers ? tools.offered.filter((tool) => shows(tool) && !first.has(tool)) : [];
    return {
      tools: [...found.map(({ contract }) => form(contract)), ...rest.map((tool) => ({ ...form(tool), defer_loading: true }))],
      ...(query !== null && {
        matches: found.map(({ contract: { name }, score, tokens }) => ({ name, score: Math.round(score * 1_000) / 1_000, tokens })),
        tokens: found.reduce((sum, { tokens }) => sum + tokens, 0),
      }),
    };
  }
}
