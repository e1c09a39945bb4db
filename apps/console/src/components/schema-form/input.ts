// The parameters of a call while they are typed.

export type Input = Readonly<Record<string, unknown>>;

export function isInput(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
    return isInput(value) ? { input: value, fault: null } : { input: null, fault: 'A JSON object is needed: { … }' };
  } catch (error) {
    return { input: null, fault: error instanceof Error ? error.message : String(error) };
  }
}
