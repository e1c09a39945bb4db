import { UsageError } from '#lib/command-line';
import { isJsonObject } from '#lib/contracts';

/** The JSON object that an option gives. Throws UsageError. */
export function objectIn(option: string, text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told below, with everything else that is no object.
  }
  if (isJsonObject(parsed)) return { ...parsed };
  throw new UsageError(`${option} must be a JSON object, such as '{"location":"Berlin"}'`);
}
