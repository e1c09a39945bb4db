// What a client of `/mcp` asks for by the address that it was given: fewer tools, and results as plain data.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  isAmong,
  Refusal,
  toMcp,
  toMcpData,
  toMcpDataResult,
  toMcpResult,
  type Catalog,
  type McpResult,
  type McpTool,
  type ToolContract,
} from '#lib/contracts';
import { queryOf } from '../../http/query.js';
import { envelopeOf, type Answer } from '../../calls/answer.js';

const names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((list) => list.every((name) => name !== ''), 'must be names, comma-separated');
const asked = z.object({
  domain: names.optional(),
  tools: names.optional(),
  read_only: z.enum(['true', 'false'], 'must be true or false').optional(),
  result: z.enum(['envelope', 'data'], 'must be envelope or data').optional(),
});

/** One view of the tools. Every request says by its query which one it means, because the protocol is served without sessions. */
export class McpView {
  readonly #domains: readonly string[] | undefined;
  readonly #tools: readonly string[] | undefined;
  readonly #readOnly: boolean;
  readonly form: 'envelope' | 'data';
  /** Whether the tools are found by words, and not listed: `?tools=search`. */
  readonly searches: boolean;

  /** Throws INVALID_PARAMS for a query that asks for a view that there is not. */
  constructor(request: FastifyRequest, catalog: Catalog) {
    const parsed = asked.safeParse(queryOf(request));
    if (!parsed.success) throw refusal(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
    const { domain, tools, read_only, result } = parsed.data;
    if (domain?.some((name) => !catalog.domains.includes(name)))
      throw refusal([{ path: 'domain', message: `must be of ${catalog.domains.join(', ')}` }]);
    this.#domains = domain;
    this.searches = tools?.length === 1 && tools[0] === 'search';
    this.#tools = this.searches ? undefined : tools;
    this.#readOnly = read_only === 'true';
    this.form = result ?? 'envelope';
  }

  /** Whether the view has this tool, by its domain, its effect, and its name or an alias, in which `*` stands for any characters. */
  shows({ name, aliases = [], domain, served, effect }: ToolContract): boolean {
    if (this.#readOnly && effect !== 'read') return false;
    if (this.#domains && !this.#domains.includes(served?.domain ?? domain)) return false;
    return isAmong(this.#tools, { name, aliases });
  }

  definition(contract: ToolContract): McpTool {
    return this.form === 'data' ? toMcpData(contract) : toMcp(contract);
  }

  result(answer: Answer): McpResult {
    const envelope = envelopeOf(answer);
    return this.form === 'data' ? toMcpDataResult(envelope) : toMcpResult(envelope);
  }
}

function refusal(details: readonly { readonly path: string; readonly message: string }[]): Refusal {
  const message = details.map(({ path, message: fault }) => `Query parameter '${path}' ${fault}`).join('; ');
  return new Refusal('INVALID_PARAMS', message, { details });
}
