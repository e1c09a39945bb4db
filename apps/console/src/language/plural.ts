import type { Language } from './dictionary.js';
import { formatCount } from './format.js';

/** `#` stands for the number. Chinese has no other form. */
interface Forms {
  readonly one?: string;
  readonly other: string;
}

/** A number with its word: `1 call`, `1,234 calls`, `1,234 次调用`. */
export function plural(language: Language, forms: Forms): (count: number) => string {
  const rules = new Intl.PluralRules(language);
  return (count) => {
    const form = rules.select(count) === 'one' ? (forms.one ?? forms.other) : forms.other;
    return form.replace('#', formatCount(count, language));
  };
}
