/** Six ways to write a target so that a careless comparison of texts takes it for another one. */
export function spellings(target: string, base: string): Readonly<Record<string, string>> {
  const [path = '', query] = target.split('?');
  const rest = query === undefined ? '' : `?${query}`;
  const letter = /\/([a-z])/.exec(path)?.[1] ?? '';
  return {
    'an encoded letter': path.replace(`/${letter}`, `/%${letter.charCodeAt(0).toString(16)}`) + rest,
    'a double slash': `/${path}${rest}`,
    'a trailing slash': `${path}/${rest}`,
    'another case': path.toUpperCase() + rest,
    'a dot segment': `/x/..${path}${rest}`,
    'the absolute form': base + path + rest,
  };
}
