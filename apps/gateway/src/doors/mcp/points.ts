import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { searchToolName } from '#lib/contracts';
import { unwrapped } from './tool-search.js';
import { searchesBy } from './view.js';

const dear = 5;
const lists = new Set<unknown>(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']);
const message = z.looseObject({ method: z.unknown(), params: z.looseObject({ name: z.unknown() }).optional().catch(undefined) });

/**
 * What the messages of a request take of the allowance. A call has limits of its own; all else takes as much as a plain request, and a list
 * or a search as much as those of HTTP.
 */
export function pointsOf(request: FastifyRequest): number {
  const searches = searchesBy(request);
  const messages: unknown[] = [searches ? unwrapped(request.body) : request.body].flat();
  return messages.reduce<number>((sum, one) => {
    const { method, params } = message.safeParse(one).data ?? {};
    if (method !== 'tools/call') return sum + (lists.has(method) ? dear : 1);
    return searches && params?.name === searchToolName ? sum + dear : sum;
  }, 0);
}
