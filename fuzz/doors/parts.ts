// What the doors share: who calls, how a body is written, how much of a request is wrong.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { valueOf } from '../grammar/from-schema.js';
import { hostileCredential, withHostileHeaders } from '../grammar/headers.js';
import type { JsonObject } from '../grammar/json.js';
import { brokenBytes, brokenText, mutated, reworded } from '../grammar/mutate.js';
import { misspelled } from '../grammar/target.js';
import type { Step } from '../requests/case.js';
import type { Tool } from '../requests/inventory.js';

/** The names of keys that a case may use; the system makes them. `ruler` administers a tenant of its own, so that its rules hold up nobody else. */
export type Key = 'user' | 'admin' | 'other' | 'reader' | 'free' | 'actor' | 'ruler';

export function keyOf(random: Random): Key {
  return random.pick(['user', 'user', 'user', 'user', 'actor', 'other', 'reader', 'free', 'ruler', 'admin']);
}

/** Parameters that the tool's schema allows, or an example of its contract. */
export function goodInput(tool: Tool, random: Random): unknown {
  return tool.examples.length > 0 && random.chance(0.35) ? random.pick(tool.examples) : valueOf(tool.input, random);
}

/** The same, or with other texts in it, or mutated. */
export function inputOf(tool: Tool, random: Random): unknown {
  let input = goodInput(tool, random);
  if (random.chance(0.25)) return input;
  if (random.chance(0.4)) return reworded(input, random);
  for (let wrong = random.pick([1, 1, 1, 2, 3]); wrong > 0; wrong--) input = mutated(input, random);
  return input;
}

interface Request {
  readonly method: string;
  readonly target: string;
  readonly key: Key | null;
  readonly json?: unknown;
  readonly headers?: Step['headers'];
}

/** A step as a careful client would send it. */
export function plainStep({ method, target, key, json, headers = [] }: Request): Step {
  return {
    method,
    target,
    headers: [
      ...(key ? [['authorization', `Bearer {{${key}}}`] as const] : []),
      ...(json === undefined ? [] : [['content-type', 'application/json'] as const]),
      ...headers,
    ],
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
}

/** A step that may be wrong at every layer: credential, headers, spelling, bytes. */
export function hostileStep(request: Request, random: Random): Step {
  let step = plainStep(request);
  if (random.chance(0.05))
    step = { ...step, headers: [...step.headers.filter(([name]) => name !== 'authorization'), ...hostileCredential(random)] };
  if (random.chance(0.25)) step = { ...step, headers: withHostileHeaders(step.headers, random) };
  if (random.chance(0.08)) step = { ...step, target: misspelled(step.target, random) };
  if (random.chance(0.04))
    step = {
      ...step,
      method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY', 'M-SEARCH', 'get']),
    };
  if (step.body !== undefined && random.chance(0.12)) step = { ...step, body: brokenText(step.body, random) };
  if (step.body !== undefined && random.chance(0.04)) {
    const { body, ...rest } = step;
    step = { ...rest, bytes: brokenBytes(body, random).toString('base64') };
  }
  if (step.body === undefined && random.chance(0.04))
    step = { ...step, headers: [...step.headers, ['content-type', 'application/json']], body: hostileText(random) };
  if (random.chance(0.02)) step = { ...step, leavesAfterMs: random.pick([0, 20, 300]) };
  // Nothing ends the stream of MCP's older revisions but its reader.
  return step.method === 'GET' && request.target === '/mcp' ? { leavesAfterMs: 200, ...step } : step;
}

/** Options of a call, each of them now and then. */
export function optionsOf(random: Random): JsonObject {
  const names = ['enable_cache', 'enable_retry', 'enable_streaming', 'inline_files', 'debug', 'metacognition', 'personality'];
  return Object.fromEntries(
    names.filter(() => random.chance(0.12)).map((name) => [name, random.pick<unknown>([true, false, 'false', '1', hostileText(random)])]),
  );
}
