import { ProtocolError, ProtocolErrorCode, type Client } from '@modelcontextprotocol/client';
import { outsideOffers, type OutsideOffers, type OutsideQuestion } from '#lib/contracts';
import { Failure } from '#lib/handlers';
import { traceparentOf } from '#lib/platform';
import { cleanAnswer } from './clean-answer.js';
import { allPages, type Page, type PageParams } from './mcp-pages.js';
import { answerAsItCame } from './mended-answers.js';
import { saysUnknownSession } from './upstream-failure.js';
import { truncateMessage, type OfferAnswer, type Offers } from './upstream.js';

/**
 * Of one list of one server, and of all of them together. Whoever lists the resources of many servers reads all of these.
 * @limit outside servers: entries of a list of resources or prompts; the others are left out, and told
 */
const mostEntries = 2_000;
/** @limit outside servers: bytes of all lists of a server; the others are left out, and told */
const mostBytes = 512 * 1024;
const pageMs = 10_000;
/** Faults of one server that are told. */
const mostFaults = 5;
/** An older revision has a code of its own for a resource that there is not. */
const resourceNotFound = -32_002;

const shapes = outsideOffers.shape;
type ListName = 'resources' | 'templates' | 'prompts';
interface Listed {
  readonly name: ListName;
  readonly entries: readonly unknown[];
  readonly fault: string | null;
}

/** What a server of the Model Context Protocol has besides tools. */
export class McpOffers implements Offers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async lists(signal: AbortSignal): Promise<OutsideOffers> {
    const { resources, prompts, completions } = this.#client.getServerCapabilities() ?? {};
    const names: ListName[] = [...(resources ? (['resources', 'templates'] as const) : []), ...(prompts ? (['prompts'] as const) : [])];
    const settled = await Promise.allSettled(names.map(async (name) => this.#list(name, signal)));
    const failed = settled.filter((one) => one.status === 'rejected');
    const [first] = failed;
    if (first && (failed.length === names.length || signal.aborted || saysUnknownSession(first.reason))) throw first.reason;
    const room = new Room();
    const lists = settled.map((one, index): Listed => {
      if (one.status === 'fulfilled') return one.value;
      const name = names[index] ?? 'resources';
      return { name, entries: [], fault: `its ${name} could not be read: ${messageOf(one.reason)}` };
    });
    const of = <Entry>(name: ListName, read: (given: unknown) => Entry | null): Entry[] => {
      const found = lists.find((list) => list.name === name);
      return found ? room.take(found, read) : [];
    };
    return {
      resources: of('resources', (given) => shapes.resources.element.safeParse(given).data ?? null),
      templates: of('templates', (given) => shapes.templates.element.safeParse(given).data ?? null),
      prompts: of('prompts', (given) => shapes.prompts.element.safeParse(given).data ?? null),
      completes: completions !== undefined,
      faults: room.faults.slice(0, mostFaults),
    };
  }

  async ask(question: OutsideQuestion, limits: Parameters<Offers['ask']>[1]): Promise<OfferAnswer> {
    try {
      return { kind: 'done', result: await this.#answerTo(question, limits) };
    } catch (error) {
      if (!(error instanceof ProtocolError) || saysUnknownSession(error)) throw error;
      const { code, message } = error;
      const literal =
        code === resourceNotFound
          ? 'UPSTREAM_NOT_FOUND'
          : code === ProtocolErrorCode.InvalidParams
            ? 'UPSTREAM_INVALID_PARAMS'
            : 'UPSTREAM_REFUSED';
      return { kind: 'refused', literal, message: truncateMessage(message) };
    }
  }

  async #answerTo(
    { question, of, values, completes }: OutsideQuestion,
    { signal, timeoutMs }: Parameters<Offers['ask']>[1],
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = this.#client;
    const options = { signal, timeout: timeoutMs };
    const traceparent = traceparentOf();
    const traced = traceparent ? { _meta: { traceparent } } : {};
    const given = { arguments: Object.fromEntries(values.map(({ name, value }) => [name, value])) };
    switch (question) {
      case 'resource':
        return answerAsItCame(await client.request({ method: 'resources/read', params: { uri: of, ...traced } }, options));
      case 'prompt':
        return answerAsItCame(await client.request({ method: 'prompts/get', params: { name: of, ...given, ...traced } }, options));
      case 'prompt_completion':
      case 'template_completion': {
        const ref =
          question === 'prompt_completion' ? ({ type: 'ref/prompt', name: of } as const) : ({ type: 'ref/resource', uri: of } as const);
        const argument = completes ?? { name: '', value: '' };
        const params = { ref, argument, ...(values.length > 0 && { context: given }), ...traced };
        return answerAsItCame(await client.request({ method: 'completion/complete', params }, options));
      }
    }
  }

  async #list(name: ListName, signal: AbortSignal): Promise<Listed> {
    const options = { signal, timeout: pageMs };
    const client = this.#client;
    const pages = {
      resources: async (params: PageParams): Promise<Page> => {
        const answer = await client.request({ method: 'resources/list', params }, options);
        return { entries: answerAsItCame(answer)['resources'], nextCursor: answer.nextCursor };
      },
      templates: async (params: PageParams): Promise<Page> => {
        const answer = await client.request({ method: 'resources/templates/list', params }, options);
        return { entries: answerAsItCame(answer)['resourceTemplates'], nextCursor: answer.nextCursor };
      },
      prompts: async (params: PageParams): Promise<Page> => {
        const answer = await client.request({ method: 'prompts/list', params }, options);
        return { entries: answerAsItCame(answer)['prompts'], nextCursor: answer.nextCursor };
      },
    };
    try {
      const { entries, isCut } = await allPages({ signal, most: mostEntries, page: pages[name] });
      const { value } = cleanAnswer(entries);
      const fault = isCut ? `its ${name} are more than the ${mostEntries} that are kept` : null;
      return { name, entries: Array.isArray(value) ? value : [], fault };
    } catch (error) {
      if (!(error instanceof ProtocolError) || saysUnknownSession(error)) throw error;
      // Some servers say that they have resources, and know no templates.
      if (error.code === ProtocolErrorCode.MethodNotFound) return { name, entries: [], fault: null };
      throw new Failure('service', `its ${name} cannot be read: ${truncateMessage(error.message)}`, { cause: error });
    }
  }
}

/** The bytes that the lists of one server may have together. */
class Room {
  readonly faults: string[] = [];
  #bytes = 0;

  take<Entry>({ name, entries, fault }: Listed, read: (given: unknown) => Entry | null): Entry[] {
    if (fault !== null) this.faults.push(fault);
    const kept: Entry[] = [];
    let unreadable = 0;
    for (const [index, given] of entries.entries()) {
      const entry = read(given);
      if (entry === null) {
        unreadable += 1;
        continue;
      }
      this.#bytes += Buffer.byteLength(JSON.stringify(entry));
      if (this.#bytes > mostBytes) {
        this.faults.push(`its lists have more than ${mostBytes} bytes: ${entries.length - index} of its ${name} are left out`);
        break;
      }
      kept.push(entry);
    }
    if (unreadable > 0) this.faults.push(`${unreadable} of its ${name} have no name or address, and are left out`);
    return kept;
  }
}

function messageOf(error: unknown): string {
  return truncateMessage(error instanceof Error ? error.message : 'it failed');
}
