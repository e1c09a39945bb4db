// The parameters of a call while they are typed.
import { isJsonObject } from '#lib/contracts';

export type Input = Readonly<Record<string, unknown>>;

/** With a value in place of what was there; undefined leaves the field out, so that an absent object is truly absent. */
export function withField(input: Input, name: string, value: unknown): Input {
  if (value !== undefined) return { ...input, [name]: value };
  const { [name]: _removed, ...rest } = input;
  return rest;
}

/** JSON of an object. @returns the object, or why the text is none, in the words of the browser */
export function parseInput(
  text: string,
): { readonly input: Input; readonly fault: null } | { readonly input: null; readonly fault: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return isJsonObject(value) ? { input: value, fault: null } : { input: null, fault: 'A JSON object is needed: { … }' };
  } catch (error) {
    return { input: null, fault: error instanceof Error ? error.message : String(error) };
  }
}
