// Language and theme of this browser. Kept in its storage; without storage they last as long as the page.
import { useSyncExternalStore } from 'react';
import { languages, type Language } from './dictionary.js';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
}

const storageKey = 'invoq-console-preferences';
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let present = read();

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => present);
}

export function setPreferences(change: Partial<Preferences>): void {
  present = { ...present, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(present));
  } catch {
    // Storage is full or forbidden: this page alone remembers.
  }
  showOnPage();
}

/** Puts language and theme on the page, and does so again when the system's theme changes. */
export function applyPreferences(): void {
  systemDark.addEventListener('change', showOnPage);
  // What is chosen in another tab holds here too.
  addEventListener('storage', ({ key }) => {
    if (key !== storageKey) return;
    present = read();
    showOnPage();
  });
  showOnPage();
}

function showOnPage(): void {
  const dark = present.theme === 'dark' || (present.theme === 'system' && systemDark.matches);
  document.documentElement.lang = present.language;
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

/** Called after each change of the language, in this tab or another. */
export function whenLanguageChanges(listener: () => void): void {
  let known = present.language;
  subscribe(() => {
    if (present.language === known) return;
    known = present.language;
    listener();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): Preferences {
  const kept = keptPreferences();
  const spoken: Language = navigator.language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
  return {
    language: languages.find((one) => one === kept.language) ?? spoken,
    theme: themes.find((one) => one === kept.theme) ?? 'system',
  };
}

function keptPreferences(): Partial<Record<keyof Preferences, unknown>> {
  try {
    const kept: Partial<Record<keyof Preferences, unknown>> | null = JSON.parse(localStorage.getItem(storageKey) ?? 'null');
    return kept ?? {};
  } catch {
    return {};
  }
}
