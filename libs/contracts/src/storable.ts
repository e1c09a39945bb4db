/** Whether Postgres can store a text: without U+0000 and without halves of surrogate pairs. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The same for a value that is kept as JSON, with its texts and its names. */
export function isStorable(value: unknown): boolean {
  let isClean = true;
  JSON.stringify(value, (name, part: unknown) => {
    isClean &&= [name, part].every((text) => typeof text !== 'string' || isStorableText(text));
    return part;
  });
  return isClean;
}
