import type { Language } from './dictionary.js';

/** Millionths of a US dollar as people read them: `$12.50`, `$0.0004`. */
export function formatMicros(micros: number, language: Language): string {
  const dollars = micros / 1_000_000;
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 4 : 6;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(dollars);
}
