import { markedPaths, principal, redact, replaceAt, type Caller, type CallInput, type ToolContract } from '#lib/contracts';
import type { CallHead } from '#lib/transport';

const mask = '[redacted]';

/**
 * The parameters of a call, for one reader. Its own caller sees them as they were given, but never a secret. To everybody else sensitive
 * ones are masked, and long texts are cut, by the marks of the contract.
 * @param contract undefined for a tool that is gone: then nobody but the caller sees anything
 */
export function shownInput(head: CallHead, reader: Caller, contract: ToolContract | undefined): CallInput {
  const origin = { replay_of: head.replayOf ?? null, ...(head.editedBy !== undefined && { edited_by: head.editedBy }) };
  if (head.body) return { input: null, input_state: 'large', ...origin };
  const isOwn = principal(reader) === principal(head.caller);
  if (head.inputGone || (!isOwn && !contract)) return { input: null, input_state: 'gone', ...origin };
  if (!isOwn && contract) return { input: record(redact(contract.input, 'input', head.input)), input_state: 'masked', ...origin };
  const input = contract ? replaceAt(head.input, markedPaths(contract.input, 'input', ['secret']), () => mask) : head.input;
  return { input: record(input), input_state: 'whole', ...origin };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
