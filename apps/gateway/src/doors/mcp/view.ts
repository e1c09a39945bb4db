// What a client of `/mcp` asks for by the address that it was given: fewer tools, and results as plain data.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  callToolName,
  cutForModel,
  getResult,
  isAmong,
  Refusal,
  toMcp,
  toMcpData,
  toMcpDataResult,
  toMcpResult,
  type Language,
  type McpResult,
  type McpTool,
  type ReaderOfResult,
  type ToolContract,
} from '#lib/contracts';
import { queryOf } from '../../http/query.js';
import { envelopeOf, type Answer } from '../../calls/answer.js';
import { answerFor, languageOf } from '../../http/language.js';
import type { ToolDirectory } from '../../calls/tool-directory.js';

const names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((list) => list.every((name) => name !== ''), 'must be names, comma-separated');
const asked = z.object({
  domain: names.optional(),
  tools: names.optional(),
  read_only: z.enum(['true', 'false'], 'must be true or false').optional(),
  result: z.enum(['envelope', 'data', 'text'], 'must be envelope, data or text').optional(),
});

/** Whether the tools are found by words, and not listed: `?tools=search`. */
export function searchesBy(request: FastifyRequest): boolean {
  return isSearch(asked.shape.tools.safeParse(queryOf(request)['tools']).data);
}

/** How much of a result a model reads, and where the rest is. */
export interface Reading {
  readonly most: number;
  /** The address of this gateway. */
  readonly place: string;
}

/** One view of the tools. Every request says by its query which one it means, because the protocol is served without sessions. */
export class McpView {
  readonly #domains: readonly string[] | undefined;
  readonly #tools: readonly string[] | undefined;
  readonly #readOnly: boolean;
  /** `text`: data, for clients that would give their model the structured content. */
  readonly form: 'envelope' | 'data' | 'text';
  readonly searches: boolean;
  /** Which view it is, as a text: two of one name have the same tools in the same form. */
  readonly name: string;
  readonly #reading: Reading & Pick<ReaderOfResult, 'tool'>;
  readonly #headers: FastifyRequest['headers'];

  /** Throws INVALID_PARAMS for a query that asks for a view that there is not. */
  constructor(request: Pick<FastifyRequest, 'headers' | 'query'>, tools: ToolDirectory, reading: Reading) {
    this.#headers = request.headers;
    const { catalog } = tools;
    const parsed = asked.safeParse(queryOf(request));
    if (!parsed.success) throw refusal(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
    const { domain, tools: patterns, read_only, result } = parsed.data;
    if (domain?.some((name) => !catalog.domains.includes(name)))
      throw refusal([{ path: 'domain', message: `must be of ${catalog.domains.join(', ')}` }]);
    this.#domains = domain;
    this.searches = isSearch(patterns);
    this.#tools = this.searches ? undefined : patterns;
    this.#readOnly = read_only === 'true';
    this.form = result ?? 'envelope';
    this.name = JSON.stringify([this.form, this.searches, this.#readOnly, domain ?? null, this.#tools ?? null]);
    this.#reading = { ...reading, tool: this.#readsOnWith(tools) };
  }

  /** Whether the view has this tool, by its domain, its effect, and its name or an alias, in which `*` stands for any characters. */
  shows({ name, aliases = [], domain, served, effect }: ToolContract): boolean {
    if (this.#readOnly && effect !== 'read') return false;
    if (this.#domains && !this.#domains.includes(served?.domain ?? domain)) return false;
    return isAmong(this.#tools, { name, aliases });
  }

  /** What its reader reads. */
  get language(): Language {
    return languageOf({ headers: this.#headers });
  }

  definition(contract: ToolContract): McpTool {
    if (this.form === 'envelope') return toMcp(contract);
    const { outputSchema, ...rest } = toMcpData(contract);
    return { ...rest, ...(this.form === 'data' && outputSchema && { outputSchema }) };
  }

  result(answer: Answer): McpResult {
    const envelope = envelopeOf(answerFor({ headers: this.#headers }, answer));
    const forModel = (data: unknown): unknown => this.#cut(data, answer);
    if (this.form === 'envelope') return toMcpResult(envelope, forModel);
    const { structuredContent, ...rest } = toMcpDataResult(envelope, forModel);
    return { ...rest, ...(this.form === 'data' && structuredContent && { structuredContent }) };
  }

  #cut(data: unknown, { facts: { jobId, resultId = jobId } }: Answer): unknown {
    const { most, place, tool } = this.#reading;
    const url = resultId === undefined ? undefined : `${place}/results/${encodeURIComponent(resultId)}`;
    return cutForModel(data, { most, resultId, tool, url });
  }

  /** Null where this view does not have the tool: nobody has to be offered it. */
  #readsOnWith(tools: ToolDirectory): string | null {
    const contract = tools.offered.find((one) => (one.renames ?? one).name === getResult.name);
    if (!contract || !this.shows(contract)) return null;
    return this.searches ? `${callToolName} with the name ${contract.name} and` : `${contract.name} with`;
  }
}

function isSearch(patterns: readonly string[] | undefined): boolean {
  return patterns?.length === 1 && patterns[0] === 'search';
}

function refusal(details: readonly { readonly path: string; readonly message: string }[]): Refusal {
  const message = details.map(({ path, message: fault }) => `Query parameter '${path}' ${fault}`).join('; ');
  return new Refusal('INVALID_PARAMS', message, { details });
}
