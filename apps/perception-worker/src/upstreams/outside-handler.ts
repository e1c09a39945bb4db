import { hash } from 'node:crypto';
import { z } from 'zod';
import {
  askOf,
  breaksOfAnswer,
  declaresAnswer,
  formOf,
  longTextParameters,
  ownProperties,
  mostQuestionCharacters,
  mostRelayedBytes,
  mostServerQuestions,
  principal,
  questionFault,
  relayedMessage,
  type QuestionAnswer,
  type JsonSchema,
  relayedRequest,
  type RelayedRequest,
  type ToolContract,
} from '#lib/contracts';
import { cutTexts } from '#lib/retrieval';
import type { Handler, ToolContext } from '#lib/handlers';
import { tokenHider } from './hide-token.js';
import { LargeAnswers } from './large-answers.js';
import { objectInText } from './mcp-answer.js';
import { cleanAnswer } from './clean-answer.js';
import { requireOwn } from './require-own.js';
import { serverLog } from './server-log.js';
import type { UpstreamServices } from './services.js';
import { unreadable } from './upstream-failure.js';
import type { UsedAccount } from './server-account.js';
import { truncateMessage, type AddressQuestion, type ServerQuestion } from './upstream.js';
import { accountFault, withAccount } from './with-account.js';

type TextLimits = Parameters<typeof cutTexts>[1];

/**
 * Larger answers are files: they would fill stores and model contexts.
 * @limit outside servers: bytes of an answer that are data; it is a file
 */
const maxDataBytes = 1024 * 1024;
/** Faults of an answer that are told. */
const maxFaults = 5;

/** The handler of a tool of an outside server. Time limit, retries, cache and trace are those of every other tool. */
export function outsideHandler(contract: ToolContract): Handler<UpstreamServices> {
  return {
    contract,
    run: async (given, context) => {
      const { upstreams, caller, signal, progress, recordUpstreamAnswer, network, refusal } = context;
      const { upstream } = contract;
      if (!upstream) throw new TypeError(`${contract.name} is no tool of an outside server`);
      requireOwn(upstream, caller);
      if (contract.suspended !== undefined)
        throw refusal('UPSTREAM_CHANGED', `Tool '${contract.name}' is suspended: ${contract.suspended}`);
      const { input, limits } = splitInput(contract.input.parse(ownProperties(contract.input, given)), upstream.cutsText);
      const { timeoutMs, idempotent = true, connection } = contract;
      const questions = new ServerQuestions(upstream.server, context);
      const { mayAsk = [] } = upstream;
      const asks = mayAsk.filter((ask) => context.clientAnswers?.includes(ask) ?? true);
      const modelTools = context.clientModelTools ?? true;
      const onLog = serverLog(upstream.server, context.log);
      const once = async (account: UsedAccount | null) => {
        const hide = tokenHider(account?.token ?? null);
        const asked = { tool: upstream.tool, input, signal, timeoutMs, idempotent, caller: principal(caller), account, asks, modelTools };
        const told = {
          onProgress: (percent: number, message: string) => progress(percent, hide(message)),
          onQuestion: async (question: ServerQuestion) => questions.ask(hide(question)),
          onAddress: async (question: AddressQuestion) => questions.askToOpen(hide(question)),
          onRequest: async (request: RelayedRequest) => questions.relay(hide(request)),
          onLog: (line: Parameters<typeof onLog>[0]) => onLog(hide(line)),
          recordUpstreamAnswer: (said: Parameters<typeof recordUpstreamAnswer>[0]) => recordUpstreamAnswer(hide(said)),
        };
        return hide(await upstreams.call(upstream, { ...asked, ...told }));
      };
      const access = connection ? async (again = {}) => knownAccount(await context.account(again)) : null;
      const answer = await network(() => withAccount(access, once)).catch((error: unknown) => {
        const fault = connection && accountFault(upstream.server, connection, error);
        throw fault ? refusal(fault.literal, fault.message) : error;
      });
      switch (answer.kind) {
        case 'changed':
          throw refusal('UPSTREAM_CHANGED', `Tool '${contract.name}' is suspended: ${answer.reason}`);
        case 'refused':
          throw refusal(
            answer.literal ?? (answer.invalidParams ? 'UPSTREAM_INVALID_PARAMS' : 'UPSTREAM_REFUSED'),
            `${upstream.server} says: ${answer.message}`,
          );
        case 'done':
          return shown(compared(contract, cleaned(contract, answer.data, context), context), { contract, limits, context });
      }
    },
  };
}

/** This worker has the accounts itself, and knows which one it is given. */
function knownAccount({ token, header, account }: Awaited<ReturnType<ToolContext['account']>>): UsedAccount {
  if (account) return { token, header, account };
  throw new TypeError('It is not known whose account this is');
}

/**
 * Asks the caller what the server asks within one call. The call rests meanwhile and ends there; afterwards it is made again, and the server,
 * which asks again, has its answer at once: so neither has to live until somebody has answered.
 */
class ServerQuestions {
  readonly #server: string;
  readonly #context: Pick<ToolContext, 'ask' | 'relay' | 'warn'>;
  /** How often it has asked, by what it asked for. */
  readonly #asked = new Map<string, number>();

  constructor(server: string, context: Pick<ToolContext, 'ask' | 'relay' | 'warn'>) {
    this.#server = server;
    this.#context = context;
  }

  async ask({ message, form }: ServerQuestion): Promise<QuestionAnswer> {
    // It came as JSON, which leaves out what is undefined.
    const schema: JsonSchema = JSON.parse(JSON.stringify(form));
    const fault = questionFault(schema);
    if (fault !== null) return this.#cancelled(`its form ${fault}`);
    const said = `${this.#server} asks: ${message}`.slice(0, mostQuestionCharacters).toWellFormed();
    const name = this.#next('question');
    return name === null ? this.#tooMany() : this.#context.ask(name, { message: said, schema: formOf(schema) });
  }

  async askToOpen({ message, url, elicitationId }: AddressQuestion): Promise<QuestionAnswer> {
    const params = { mode: 'url', message: truncateMessage(message).toWellFormed(), url, elicitationId };
    const request = relayedRequest.safeParse({ method: 'elicitation/create', params });
    if (request.success) return this.relay(request.data);
    return this.#cancelled(`its address ${request.error.issues.map(({ message: fault }) => fault).join(', ')}`);
  }

  async relay(request: RelayedRequest): Promise<QuestionAnswer> {
    const bytes = Buffer.byteLength(JSON.stringify(request));
    if (bytes > mostRelayedBytes) return this.#cancelled(`it has ${bytes} bytes, and ${mostRelayedBytes} are the most`);
    // Who has agreed to open an address of one origin has not seen that of another, which a server may ask for when its call is made again.
    const at = request.method === 'elicitation/create' ? ` at ${hash('sha256', new URL(request.params.url).origin).slice(0, 16)}` : '';
    const name = this.#next(`${askOf(request)}${at}`);
    return name === null ? this.#tooMany() : this.#context.relay(name, relayedMessage(this.#server, request), request);
  }

  /** The name of the step of the next one; null where there were as many as there may be. */
  #next(ask: string): string | null {
    const all = [...this.#asked.values()].reduce((sum, number) => sum + number, 0);
    if (all >= mostServerQuestions) return null;
    const number = (this.#asked.get(ask) ?? 0) + 1;
    this.#asked.set(ask, number);
    return `${ask} ${number} of the server`;
  }

  #tooMany(): QuestionAnswer {
    return this.#cancelled(`it has asked ${mostServerQuestions} times in this call, which is the most`);
  }

  #cancelled(why: string): QuestionAnswer {
    this.#context.warn(`${this.#server} asked what nobody can be asked: ${why}`);
    return { action: 'cancel' };
  }
}

/** Separates the parameters of the server from `max_length` and `return_summary`, which are ours. */
function splitInput(
  parsed: Readonly<Record<string, unknown>>,
  cutsText: boolean,
): { input: Record<string, unknown>; limits: TextLimits | null } {
  if (!cutsText) return { input: { ...parsed }, limits: null };
  const { max_length, return_summary, ...input } = parsed;
  return { input, limits: z.object(longTextParameters).parse({ max_length, return_summary }) };
}

/** The data without what no store takes, with a warning for each kind of change. @throws Failure of the kind `service` for data that is too deep */
function cleaned(contract: ToolContract, data: unknown, { warn }: Pick<ToolContext, 'warn'>): unknown {
  const { value, changes } = orUnreadable(contract, () => cleanAnswer(data));
  for (const change of changes) warn(`In the answer of ${contract.upstream?.server ?? contract.name} ${change}`);
  return value;
}

/**
 * The data, with a warning for each fault against what the server declared. It has acted: what it answered is given, whatever it is.
 * @throws Failure of the kind `service` for data that is too deep
 */
function compared(contract: ToolContract, data: unknown, { warn }: Pick<ToolContext, 'warn'>): unknown {
  if (!declaresAnswer(contract)) return data;
  const server = contract.upstream?.server ?? contract.name;
  const inText = objectInText(data);
  if (inText) warn(`${server} gave as text what it declares as structured content`);
  const found = inText ?? data;
  const faults = orUnreadable(contract, () => breaksOfAnswer(contract, found));
  for (const fault of faults.slice(0, maxFaults)) warn(`${server} answered what it has not declared: ${fault}`);
  return found;
}

interface Showing {
  readonly contract: ToolContract;
  readonly limits: TextLimits | null;
  readonly context: ToolContext & UpstreamServices;
}

/** The data as the caller gets it: long texts cut as it asked (TU-54), pictures and long answers as files. */
async function shown(data: unknown, { contract, limits, context }: Showing): Promise<unknown> {
  const { reportFiles, caller, effectKey, network, recordFacts, warn } = context;
  const large = new LargeAnswers({ reportFiles, caller, effectKey, recordFacts, tool: contract.name });
  // What is too deep for JSON is too deep for all that follows.
  orUnreadable(contract, () => JSON.stringify(data));
  const light = await network(() => large.withoutLargeBytes(data));
  for (const file of light.files) warn(`${file} is too large for an answer: it is a file, with a link in its place`);
  const cut = limits ? cutLongTexts(light.data, limits) : light.data;
  const json = JSON.stringify(cut);
  if (Buffer.byteLength(json) <= maxDataBytes) return cut;
  warn(`The answer has more than ${maxDataBytes} bytes: it is a file, and its beginning is shown`);
  return await network(() => large.asFile(json));
}

/** Cuts long texts as the caller asked, and adds what was cut (TU-54). */
function cutLongTexts(data: unknown, limits: TextLimits): unknown {
  const { value, truncation } = cutTexts(data, limits);
  return truncation && typeof value === 'object' ? { ...value, truncated: true, truncation_info: truncation } : value;
}

/** Data that is too deep cannot be read by anybody. */
function orUnreadable<Result>(contract: ToolContract, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw unreadable(contract.upstream?.server ?? contract.name, error);
  }
}
