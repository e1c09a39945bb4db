// Traditional and simplified Chinese characters, by the table of OpenCC. One character for one, so that offsets stay.
import table from 'opencc-js/dict/TSCharacters';

const rows = new Map(
  table.split('|').map((row): [string, string] => {
    const [traditional = '', simplified = ''] = row.split(' ');
    return [traditional, simplified];
  }),
);
const simplifiedOf = new Map(
  [...rows].flatMap(([traditional, next]): [string, string][] => {
    // A few are simplified in two steps.
    const simplified = rows.get(next) ?? next;
    return traditional === simplified || traditional.length !== simplified.length ? [] : [[traditional, simplified]];
  }),
);
const traditionalOf = Map.groupBy(simplifiedOf.keys(), (traditional) => simplifiedOf.get(traditional) ?? '');
const han = /\p{Script=Han}/gu;
const maxSpellings = 16;

/** The text with simplified characters for traditional ones. As long as it was, in UTF-16 units. */
export function simplify(text: string): string {
  return text.replace(han, (character) => simplifiedOf.get(character) ?? character);
}

/** How a simplified term may also be written: with traditional characters, all or some. The term itself is the first. */
export function spellingsOf(term: string): readonly string[] {
  let spellings = [''];
  for (const character of term) {
    const ways = [character, ...(traditionalOf.get(character) ?? [])];
    spellings = ways.flatMap((way) => spellings.map((before) => before + way));
    // Few terms have so many, and those that are left out are rare.
    if (spellings.length > maxSpellings) spellings = spellings.slice(0, maxSpellings);
  }
  return spellings;
}
