import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#lib/platform';
import { endCutOff, logCutOff, noteCredential } from '../../callers/authentication.js';
import type { OpenRequests } from '../../callers/open-requests.js';
import type { CallOfBody, RequestFacts } from '../../calls/call-facts.js';
import { parseJson, textOf } from '../../http/json-body.js';
import { logFailed } from '../../http/problem.js';
import { factsOf, leaveBegun } from '../../http/request-facts.js';
import type { KnownCall, KnownHead } from './known-requests.js';

interface BegunCallsParts {
  readonly openRequests: Pick<OpenRequests, 'admit'>;
  readonly readiness: { readonly isStopping: boolean };
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Writes the head of an answer 200. */
  readonly writeHead: (head: KnownHead, request: TakenRequest, facts: RequestFacts) => void;
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

/** A call, and how many values are in its body. */
export interface Given {
  readonly call: CallOfBody;
  readonly values: number;
}

/** Null for a body that asks for more than a call, or is refused. */
export function givenIn({ body, request }: TakenRequest, { ofHead }: KnownCall): Given | null {
  try {
    const { value, values } = parseJson(textOf(body));
    const call = ofHead.callIn(value, request.headers);
    return call && { call, values };
  } catch {
    return null;
  }
}

/** What is left to do for a request at the edge. */
export interface AnsweredHere {
  readonly facts: RequestFacts;
  /** To be written; null where the answer was streamed. */
  readonly text: string | null;
}

/**
 * Begins calls whose head came before: what follows from it is known, and the body is read, parsed and checked as ever. Answers that are plain
 * are given here, and so are streams. Everything else goes on in the general way with what was begun, so refusals, failures, calls that rest,
 * versions and the end of a credential have one definition.
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
  async answer(one: NewBody, serve: () => void): Promise<AnsweredHere | null> {
    const { head, call, body, given, request, response } = one;
    const { openRequests, readiness, log } = this.#parts;
    const facts = factsOf({ method: head.method, route: head.route, headers: request.headers });
    const known = { facts, headers: request.headers };
    noteCredential(known, call.caller);
    facts.smallBody = body;
    facts.taken.values = given.values;
    const gone = new AbortController();
    let isStreaming = false;
    let isOver = false;
    const leave = (reason?: unknown): void => {
      isOver = true;
      release();
      // The request is as it came, but for the call that was begun for it.
      request.unshift(body);
      leaveBegun(request, facts);
      begun.leave(reason);
      // Its client went away on the way to the door.
      response.once('close', () => begun.letGo());
      serve();
    };
    const release = openRequests.admit(call.caller, response, (reason) => {
      // Its answer came first.
      if (isOver) return;
      logCutOff(log, { traceId: facts.traceId, route: head.route, reason });
      if (isStreaming) return endCutOff(response);
      leave(reason);
      gone.abort();
    });
    response.once('close', () => {
      if (!response.writableFinished || facts.isCutOff) gone.abort();
    });
    const begun = given.call.begin(known, () => gone.signal);
    try {
      const answer = await begun.answer;
      // What was refused is charged by the hooks.
      const isHere = answer !== null && facts.taken.points === 0 && !readiness.isStopping;
      if (!isHere && !isOver && !response.closed) {
        leave();
        return null;
      }
      if (!answer || isOver) {
        begun.letGo();
        return null;
      }
      if ('stream' in answer) {
        isStreaming = true;
        this.#parts.writeHead(head, one, facts);
        await answer.stream(response);
        isOver = true;
        begun.letGo();
        return { facts, text: null };
      }
      begun.letGo();
      isOver = true;
      facts.repeatable = answer.repeatable;
      return { facts, text: answer.text };
    } catch (error) {
      if (!isOver && !isStreaming && !response.closed) leave();
      else {
        begun.letGo();
        // Nobody is left to be told.
        logFailed(log, { facts, route: head.route }, error);
      }
      return isStreaming ? { facts, text: null } : null;
    }
  }
}
