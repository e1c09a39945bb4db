const mostCharacters = 80;

/** A name that is valid on every file system, at most 80 characters; `fallback` where nothing is left of it. Its ending stays. */
export function fileNameOf(given: string, fallback: string): string {
  const safe = given
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const characters = Array.from(safe);
  if (characters.length <= mostCharacters) return safe || fallback;
  const [ending = ''] = /\.[\w-]{1,16}$/.exec(safe) ?? [];
  return characters.slice(0, mostCharacters - ending.length).join('') + ending;
}
