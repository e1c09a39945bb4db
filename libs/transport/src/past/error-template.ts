/** A quoted text, and the word before it. An apostrophe within a word quotes nothing. */
const quoted = /(\w+ )?(?<!\w)(['"`])(.{0,300}?)\2(?!\w)/g;
/** Words before a name that the contract gives, or that says what to look for. */
const named = /^(?:parameter|field|header|scope|tool|domain|server|option) $/i;
const name = /^[A-Za-z][\w.-]{0,63}$/;
const address = /[^\s@]{1,64}@[^\s@]{1,64}/g;
/** UUIDs, hashes, and ids that mix letters and digits. */
const id = /\b(?=\w{0,24}\d)[\w-]{12,}\b/g;
const number = /\d+/g;

/**
 * A message without what differs from call to call, so that equal errors are counted together, and no value of a caller is kept for longer than
 * the call itself: `#` for a number or an id, `'…'` for a quoted text that is no name of a contract.
 */
export function templateOf(message: string): string {
  return message
    .replace(quoted, (...[text = '', word, mark = '', inside = '']: readonly string[]) =>
      name.test(inside) && word !== undefined && named.test(word) ? text : `${word ?? ''}${mark}…${mark}`,
    )
    .replace(address, '#')
    .replace(id, '#')
    .replace(number, '#');
}
