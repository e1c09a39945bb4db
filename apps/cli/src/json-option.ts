import { UsageError } from '#lib/command-line';

/** The JSON object that an option gives. Throws UsageError. */
export function objectIn(option: string, text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told below, with everything else that is no object.
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw new UsageError(`${option} must be a JSON object, such as '{"location":"Berlin"}'`);
}
