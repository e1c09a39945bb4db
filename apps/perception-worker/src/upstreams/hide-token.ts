/** What stands in the place of a token that a server has sent back. */
const hidden = '[token]';

/** Takes a token out of whatever a server says: it may send back what it was sent, and that would reach a model, a log or a history. */
export function tokenHider(token: string | null): <Said>(said: Said) => Said {
  if (token === null || token === '') return (said) => said;
  const written = JSON.stringify(token).slice(1, -1);
  return (said) => {
    const text = textOf(said);
    return text?.includes(written) ? JSON.parse(text.replaceAll(written, hidden)) : said;
  };
}

/** Undefined for what is too deep, which nobody is given. */
function textOf(said: unknown): string | undefined {
  try {
    return JSON.stringify(said);
  } catch {
    return undefined;
  }
}
