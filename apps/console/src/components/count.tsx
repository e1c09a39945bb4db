import { formatCount } from '../language/format.js';
import { useLanguage } from '../language/use-text.js';

/** A number as the reader's language writes it: `1,234`. */
export function Count({ of }: { readonly of: number }) {
  const language = useLanguage();
  return formatCount(of, language);
}
