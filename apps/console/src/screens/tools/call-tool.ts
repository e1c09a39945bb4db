import { isInput, type Input } from '../../components/schema-form/input.js';
import { gateway } from '../../data/gateway.js';
import { callHeaders, callPath, type ChosenOptions } from './call-options.js';

/** An answer as it came, whatever its status. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: unknown;
  readonly tookMs: number;
  /** Of the job that runs or ran; null for an answer without one. */
  readonly jobId: string | null;
}

/** Throws InvoqError when no answer comes. */
export async function callTool(name: string, input: Input, options: ChosenOptions): Promise<CallAnswer> {
  const started = performance.now();
  const response = await gateway.send(callPath(name, options), { method: 'POST', body: input, headers: callHeaders(options) });
  const text = await response.text();
  const tookMs = performance.now() - started;
  const body = parse(text);
  return { status: response.status, headers: [...response.headers], body, tookMs, jobId: jobIdOf(body) };
}

/** What the gateway said against parameters, by their paths. */
export function faultsOf(body: unknown): ReadonlyMap<string, string> {
  const error = isInput(body) && isInput(body['error']) ? body['error'] : {};
  const details: readonly unknown[] = Array.isArray(error['details']) ? error['details'] : [];
  return new Map(details.filter(isInput).map(({ path, message }) => [String(path), String(message)]));
}

function jobIdOf(body: unknown): string | null {
  if (!isInput(body)) return null;
  const metadata = isInput(body['metadata']) ? body['metadata'] : {};
  const id = body['job_id'] ?? metadata['job_id'];
  return typeof id === 'string' ? id : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
