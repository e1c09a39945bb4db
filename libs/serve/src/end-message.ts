import { z } from 'zod';
import { cutText, mostRestMs, workerLimits } from '#lib/contracts';
import type { AttemptResult } from '#lib/handlers';
import type { Message } from './protocol.js';

type ToldResult = Exclude<AttemptResult, { kind: 'stopped' }>;

/** How an attempt ended, as it is told to the gateway. @param tellsNetwork whether it takes the time that the tool waited for others */
export function endMessage(result: ToldResult, tellsNetwork = false): Message {
  const message = messageOf(result);
  // Of parameters that the tool did not take there is nothing to tell.
  const isTold = tellsNetwork && result.networkMs > 0 && message.type !== 'invalid';
  return isTold ? { ...message, network_ms: result.networkMs } : message;
}

function messageOf(result: ToldResult): Message {
  switch (result.kind) {
    case 'done':
      return {
        type: 'done',
        data: result.data,
        ...(result.message !== undefined && { message: cut(result.message) }),
        ...(result.warnings.length > 0 && { warnings: result.warnings.slice(0, workerLimits.warnings).map((warning) => cut(warning)) }),
        ...(Object.keys(result.facts).length > 0 && { facts: shortened(result.facts) }),
        ...(result.explained && { debug_info: result.explained }),
        ...(result.version !== undefined && { version: result.version }),
      };
    case 'unchanged':
      return { type: 'unchanged', version: result.version };
    case 'refused': {
      const { native_code, code, message, details, extra } = result.error;
      return {
        type: 'refused',
        error: native_code ?? code,
        message: cut(message),
        ...(details && { details: faultsOf(details) }),
        ...(extra && { extra }),
      };
    }
    case 'failed':
      return failedMessage(result);
    case 'resting':
      return {
        type: 'rest',
        waits: result.waits.map(({ name, reason, until, question }) => ({ name, reason, ...delayOf(until), ...question })),
      };
  }
}

/** By the gateway's clock, which may be another one. A sleep that goes on is known there. */
function delayOf(until: number): { readonly delay_ms?: number } {
  return Number.isFinite(until) ? { delay_ms: Math.min(mostRestMs, Math.max(0, Math.ceil(until - Date.now()))) } : {};
}

type Failed = Pick<Extract<ToldResult, { kind: 'failed' }>, 'failure' | 'retryable' | 'hintMs' | 'cause'>;

function failedMessage({ failure, retryable, hintMs, cause }: Failed): Message {
  // The gateway checks all but patterns: they are the worker's own.
  if (cause instanceof z.ZodError)
    return {
      type: 'invalid',
      faults: faultsOf(
        cause.issues.map(({ path, message }) => ({ path: path.join('.'), message: `Parameter '${path.join('.')}': ${message}` })),
      ),
    };
  return failureMessage({ failure, retryable, hintMs, cause });
}

/** A failure as such, whatever its cause is. */
export function failureMessage({ failure, retryable, hintMs, cause }: Failed): Message {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const told = {
    type: cut(error.name, workerLimits.causeType),
    message: cut(error.message),
    ...(error.stack && { stack: cut(error.stack, workerLimits.stack) }),
  };
  return {
    type: 'failed',
    failure,
    retryable,
    ...(hintMs !== undefined && { hint_ms: Math.min(workerLimits.waitMs, Math.max(0, Math.ceil(hintMs))) }),
    cause: told,
  };
}

// The gateway takes no message that is longer, and so no result that comes with it.
const cut = (text: string, most: number = workerLimits.text): string => cutText(text, most);

function faultsOf(faults: readonly { readonly path: string; readonly message: string }[]) {
  return faults.slice(0, workerLimits.faults).map(({ path, message }) => ({ path: cut(path, workerLimits.path), message: cut(message) }));
}

function shortened(facts: AttemptResult['facts']): AttemptResult['facts'] {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      cut(name, workerLimits.factName),
      typeof value === 'string' ? cut(value, workerLimits.fact) : value,
    ]),
  );
}
