import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#lib/platform';
import { logCutOff, noteCredential } from '../../callers/authentication.js';
import type { OpenRequests } from '../../callers/open-requests.js';
import { envelopeOf } from '../../calls/answer.js';
import { parametersInBody } from '../../calls/call-body.js';
import { CachedCall } from '../../calls/call.js';
import type { RequestFacts } from '../../calls/call-facts.js';
import type { RepeatedAnswer } from '../../calls/repeated-calls.js';
import { parseJson, textOf } from '../../http/json-body.js';
import { answerFor, languageOf } from '../../http/language.js';
import { logFailed } from '../../http/problem.js';
import { factsOf, leaveBegun } from '../../http/request-facts.js';
import { handBegun, letGo, takeBegun, type BegunCall } from '../begun-call.js';
import { formOf, isPlain, type JsonDoor } from '../json-door.js';
import type { KnownCall, KnownHead } from './known-requests.js';

interface BegunCallsParts {
  readonly door: Pick<JsonDoor, 'begin'>;
  readonly openRequests: Pick<OpenRequests, 'admit'>;
  readonly readiness: { readonly isStopping: boolean };
  readonly log: Pick<Logger, 'info' | 'error'>;
}

/** A request whose body has come, and was taken out of it. */
export interface TakenRequest {
  readonly body: Buffer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One whose head came before, with a body that did not. */
interface NewBody extends TakenRequest {
  readonly head: KnownHead;
  readonly call: KnownCall;
  readonly given: Given;
}

/** What a body holds. */
interface Given {
  readonly input: unknown;
  /** How many values. */
  readonly values: number;
}

/** Null for a body that says more than parameters, or is refused. */
export function givenIn(body: Buffer): Given | null {
  try {
    const { value, values } = parseJson(textOf(body));
    const { input, debug, traceId } = parametersInBody(value);
    return debug === undefined && traceId === null ? { input, values } : null;
  } catch {
    return null;
  }
}

/**
 * Begins calls whose head came before: what follows from it is known, and the body is read, parsed and checked as ever. Answers that are plain
 * are given here. Everything else goes on in the general way with what was begun, so refusals, failures, calls that rest, versions and the end
 * of a credential have one definition.
 */
export class BegunCalls {
  readonly #parts: BegunCallsParts;

  constructor(parts: BegunCallsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a call and its answer. It never throws.
   * @param serve serves the request in the general way
   * @returns null where the general way answers, or nobody waits any more
   */
  async answer(one: NewBody, serve: () => void): Promise<RepeatedAnswer | null> {
    const { head, call, body, given, request, response } = one;
    const { door, openRequests, log } = this.#parts;
    const facts = factsOf({ method: head.method, route: head.route, headers: request.headers });
    const known = { facts, headers: request.headers };
    noteCredential(known, call.caller);
    facts.smallBody = body;
    facts.taken.values = given.values;
    const gone = new AbortController();
    let isOver = false;
    const leave = (begun: Promise<BegunCall>): void => {
      isOver = true;
      release();
      leaveToDoor(one, facts, begun);
      serve();
    };
    const release = openRequests.admit(call.caller, response, (reason) => {
      // Its answer came first.
      if (isOver) return;
      logCutOff(log, { traceId: facts.traceId, route: head.route, reason });
      leave(Promise.reject(reason));
      gone.abort();
    });
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    let begun: BegunCall | null = null;
    try {
      begun = await door.begin(known, { ...call.asked, input: given.input }, () => gone.signal);
      const text = this.#textOf(begun, one, facts);
      if (text === null && !isOver && !response.closed) {
        leave(Promise.resolve(begun));
        return null;
      }
      letGo(begun);
      // Nobody is left to be told.
      if (begun.kind === 'failed') logFailed(log, { facts, route: head.route }, begun.error);
      if (text === null || isOver) return null;
      isOver = true;
      if (begun.kind === 'answered' && begun.call instanceof CachedCall)
        facts.repeatable = begun.call.repeatable(given.input, formOf(languageOf(request), call.asked.shape));
      return { text, facts };
    } catch (error) {
      if (begun) letGo(begun);
      if (isOver || response.closed) logFailed(log, { facts, route: head.route }, error);
      else leave(Promise.reject(error));
      return null;
    }
  }

  /** Null for what is more than a plain answer. */
  #textOf(begun: BegunCall, { call, request }: NewBody, facts: RequestFacts): string | null {
    if (begun.kind !== 'answered' || !isPlain(begun, facts) || this.#parts.readiness.isStopping) return null;
    const { shape = envelopeOf } = call.asked;
    return JSON.stringify(shape(answerFor(request, begun.answer)));
  }
}

/** The request is as it came, but for the call that was begun for it. */
function leaveToDoor({ body, request, response }: NewBody, facts: RequestFacts, begun: Promise<BegunCall>): void {
  request.unshift(body);
  leaveBegun(request, facts);
  handBegun(facts, begun);
  // Its client went away on the way to the door.
  response.once('close', () => void takeBegun(facts)?.then(letGo, () => undefined));
}
