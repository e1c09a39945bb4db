/** The languages that people are answered in. What models and programs read is English in all of them: names, codes, fields, descriptions of parameters. */
export type Language = 'en' | 'zh';

/**
 * What somebody reads best of these, by `Accept-Language` (RFC 9110, section 12.5.4): the language with the highest weight, and the first of
 * those that are as high. English where it names neither.
 */
export function languageIn(header: string | undefined): Language {
  if (header === undefined) return 'en';
  const ranges = header.slice(0, maxCharacters).split(',').map(rangeIn);
  const known = ranges.flatMap(({ language, weight }) => (language && weight > 0 ? [{ language, weight }] : []));
  return known.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? 'en';
}

/** Of a browser it has a few dozen. */
const maxCharacters = 500;

function rangeIn(text: string): { readonly language: Language | null; readonly weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  const [primary = ''] = range.split('-');
  const language = primary === 'zh' || primary === 'en' ? primary : null;
  return { language, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
