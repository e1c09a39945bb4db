// What is kept in English, in the language of whoever reads it. For English each of these gives back what it was given.
import { inChinese } from './chinese.js';
import type { Outcome } from './envelope.js';
import type { ToolError } from './errors.js';
import type { LoggedEvent } from './events.js';
import type { Language } from './language.js';

/** A sentence. */
export function textIn(language: Language, text: string): string {
  return language === 'en' ? text : inChinese(text);
}

/** An outcome: the message and the faults of an error, and warnings. Data are what the tool made them. */
export function outcomeIn(language: Language, outcome: Outcome): Outcome {
  if (language === 'en' || (outcome.ok && !outcome.warnings?.length)) return outcome;
  const warnings = outcome.warnings && { warnings: outcome.warnings.map(inChinese) };
  return outcome.ok ? { ...outcome, ...warnings } : { ...outcome, error: errorIn(language, outcome.error), ...warnings };
}

/** The message and the faults of an error. */
export function errorIn(language: Language, error: ToolError): ToolError {
  if (language === 'en') return error;
  const details = error.details && { details: error.details.map(({ path, message }) => ({ path, message: inChinese(message) })) };
  return { ...error, message: inChinese(error.message), ...details };
}

/** An entry of a log: what is told of its progress, and why it is tried again. */
export function entryIn<Entry extends LoggedEvent>(language: Language, entry: Entry): Entry {
  if (language === 'en') return entry;
  if (entry.kind === 'progress') return { ...entry, message: inChinese(entry.message) };
  if (entry.kind === 'retry') return { ...entry, error: { ...entry.error, message: inChinese(entry.error.message) } };
  return entry;
}
