import { createContext, use } from 'react';
import type { Dictionary, Language } from './dictionary.js';
import { usePreferences } from './preferences.js';

/** Another language than the preferred one, for a part of a page. */
export const LanguageContext = createContext<Language | null>(null);

export function useLanguage(): Language {
  const { language } = usePreferences();
  return use(LanguageContext) ?? language;
}

/** The words of a dictionary in the present language. */
export function useText<Words>(words: Dictionary<Words>): Words {
  return words[useLanguage()];
}
