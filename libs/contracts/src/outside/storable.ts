/** Whether Postgres keeps a value as JSON: it takes neither NUL nor half of a surrogate pair, in texts and in names. */
export function isStorable(value: unknown): boolean {
  let isClean = true;
  JSON.stringify(value, (name, part: unknown) => {
    isClean &&= [name, part].every((text) => typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed()));
    return part;
  });
  return isClean;
}
