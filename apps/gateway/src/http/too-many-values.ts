const [quote, comma, openList, backslash, openObject] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b];

/**
 * Whether a text of JSON holds more values than that, told from its commas, brackets and strings: to parse it would take a hundred times
 * longer. Where it says no, there may still be twice as many. Text that is no JSON may be told as either.
 */
export function holdsTooManyValues(json: Uint8Array, most: number): boolean {
  let commas = 0;
  let containers = 0;
  let strings = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === comma) commas++;
    else if (byte === openList || byte === openObject) containers++;
    else if (byte === quote) {
      strings++;
      at = endOfString(json, at);
    } else continue;
    // A list of n has n - 1 commas, each container but the whole is a value, and a value has a name and a text at most.
    if (commas > most || containers > most + 1 || strings > 2 * most + 1) return true;
  }
  return false;
}

/** The place of the quote that ends a string. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}
