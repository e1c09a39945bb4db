// A credential that may see and call only some tools: names of tools, where `*` stands for any characters.

/** What one entry must look like. */
export const toolPatternShape = /^[A-Za-z0-9_*-]{1,100}$/;

/** Whether one of the patterns fits the tool's name or an alias, in any case. Without patterns every tool does. */
export function isAmong(
  patterns: readonly string[] | undefined,
  { name, aliases = [] }: { readonly name: string; readonly aliases?: readonly string[] },
): boolean {
  return (
    patterns === undefined ||
    patterns.some((pattern) => [name, ...aliases].some((one) => fitsPattern(pattern.toLowerCase(), one.toLowerCase())))
  );
}

/** Whether a text is what a pattern says, in which `*` stands for any characters. It takes the time of the two texts multiplied at most. */
export function fitsPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let place = first.length;
  const end = name.length - last.length;
  return rest.every((part) => {
    const found = name.indexOf(part, place);
    place = found + part.length;
    return found >= 0 && place <= end;
  });
}
