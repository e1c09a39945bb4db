import { Injectable } from '@nestjs/common';
import { promisedTokens, toJsonSchema, tokensOf, type Caller, type JsonSchema, type ToolContract } from '#lib/contracts';
import type { MemoryIndex } from '#lib/retrieval';
import { missingScope } from '../calls/authorise.js';
import type { ToolDirectory } from '../calls/tool-directory.js';
import { otherWords } from './tool-words.js';

/** Of a description; what is said later is seldom what a tool is for. */
const maxDescription = 1_000;
const maxParameters = 40;

export interface Wanted {
  readonly query: string;
  /** At most so many. */
  readonly limit: number;
  /** What their definitions, each with its typical answer, may come to. */
  readonly maxTokens: number;
}

export interface Asker {
  readonly caller: Caller;
  /** Whether it sees the tool at all. */
  readonly shows?: (contract: ToolContract) => boolean;
  /** What it gets of a tool. */
  readonly definition: (contract: ToolContract) => object;
}

export interface FoundTool {
  readonly contract: ToolContract;
  readonly score: number;
  /** Of its definition and its typical answer. */
  readonly tokens: number;
}

/** The tools of a catalog that fit a request in words, by their names, titles, descriptions and parameters, in Chinese and English. */
@Injectable()
export class ToolFinder {
  /** By the list of tools of a catalog, which is another after each change. */
  readonly #indexes = new WeakMap<readonly ToolContract[], Promise<MemoryIndex>>();

  /**
   * Those that the caller may call, the best first. One whose definition does not fit into what is left of the budget gives its place to the
   * next.
   */
  async find(
    { catalog, offered }: Pick<ToolDirectory, 'catalog' | 'offered'>,
    { query, limit, maxTokens }: Wanted,
    { caller, shows = () => true, definition }: Asker,
  ): Promise<readonly FoundTool[]> {
    const { tools } = catalog;
    const isOffered = new Set(offered);
    const index = await this.#indexOf(tools);
    const found: FoundTool[] = [];
    let left = maxTokens;
    for (const { place, score } of index.search(query, otherWords)) {
      const contract = tools[place];
      if (!contract || !isOffered.has(contract) || !shows(contract) || missingScope(caller, contract)) continue;
      const tokens = tokensOf(definition(contract)) + promisedTokens(contract).typical;
      if (tokens > left) continue;
      left -= tokens;
      found.push({ contract, score, tokens });
      if (found.length === limit) break;
    }
    return found;
  }

  async #indexOf(tools: readonly ToolContract[]): Promise<MemoryIndex> {
    const known = this.#indexes.get(tools) ?? indexOf(tools);
    this.#indexes.set(tools, known);
    return known;
  }
}

async function indexOf(tools: readonly ToolContract[]): Promise<MemoryIndex> {
  // Most gateways are never asked; the words of Chinese take a moment to load.
  const { MemoryIndex: Index } = await import('#lib/retrieval');
  return new Index(
    tools.map(({ name, title, description, zh, input, aliases = [] }) => [
      { text: [name, title].join('\n'), weight: 4, isHead: true },
      { text: aliases.join('\n'), weight: 2, isHead: true },
      { text: zh?.title ?? '', weight: 4, isHead: true },
      { text: description.slice(0, maxDescription), weight: 2 },
      { text: (zh?.description ?? '').slice(0, maxDescription), weight: 2 },
      { text: parameterTexts(toJsonSchema(input, 'input')).join('\n') },
    ]),
  );
}

function parameterTexts({ properties = {} }: JsonSchema): readonly string[] {
  return Object.entries(properties)
    .slice(0, maxParameters)
    .map(([name, schema]) => {
      const { description } = typeof schema === 'object' ? schema : {};
      return `${name} ${typeof description === 'string' ? description.slice(0, 200) : ''}`;
    });
}
