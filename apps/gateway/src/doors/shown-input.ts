import { markedPaths, principal, redact, replaceAt, type Caller, type RunInput, type ToolContract } from '#lib/contracts';
import type { InvocationHead } from '#lib/transport';

const mask = '[redacted]';

/**
 * The parameters of a run, for one reader. Its own caller sees them as they were given, but never a secret. To everybody else sensitive
 * ones are masked, and long texts are cut, by the marks of the contract.
 * @param contract undefined for a tool that is gone: then nobody but the caller sees anything
 */
export function shownInput(head: InvocationHead, reader: Caller, contract: ToolContract | undefined): RunInput {
  const replay_of = head.replayOf ?? null;
  if (head.body) return { input: null, input_state: 'large', replay_of };
  const isOwn = principal(reader) === principal(head.caller);
  if (head.inputGone || (!isOwn && !contract)) return { input: null, input_state: 'gone', replay_of };
  if (!isOwn && contract) return { input: record(redact(contract.input, 'input', head.input)), input_state: 'masked', replay_of };
  const input = contract ? replaceAt(head.input, markedPaths(contract.input, 'input', ['secret']), () => mask) : head.input;
  return { input: record(input), input_state: 'whole', replay_of };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
