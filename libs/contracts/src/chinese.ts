// Messages for people who read Chinese. What is not here stays English, and so do codes, fields and names.
import { callers } from './chinese/callers.js';
import { calls } from './chinese/calls.js';
import { outside } from './chinese/outside.js';
import { parameters } from './chinese/parameters.js';
import { rules } from './chinese/rules.js';
import { tools } from './chinese/tools.js';
import { words } from './chinese/words.js';

/**
 * English to Chinese; `{}` is what is known at run time alone. In Chinese `{2}` is the second of them, `{~2}` the same in Chinese where that is known,
 * and `{!2}` one that must be known: without it the sentence stays English.
 */
export const translatedMessages: Readonly<Record<string, string>> = { ...parameters, ...callers, ...calls, ...rules, ...outside, ...tools };

const chinese: Readonly<Record<string, string>> = { ...translatedMessages, ...words };

interface Pattern {
  /** What stands between the parts that are known at run time alone. */
  readonly fixed: readonly string[];
  readonly zh: string;
  /** Faults of parameters stand beside each other, between semicolons. */
  readonly isListed: boolean;
}

/** Those that say most come first, since a short one may fit a longer message too. Made when somebody first reads Chinese. */
let patterns: readonly Pattern[] | null = null;

/** Longer ones hold what a caller or a server wrote. */
const mostCharacters = 2_000;

/** A message in Chinese: the whole, or each of its sentences; as it is where one of them is not translated. */
export function inChinese(message: string): string {
  return message.length > mostCharacters ? message : (translated(message) ?? message);
}

function translated(message: string, depth = 0): string | null {
  if (depth > 3) return null;
  if (Object.hasOwn(chinese, message) && !message.includes('{}')) return chinese[message] ?? null;
  return (
    fitted(message, depth) ??
    inParts(message, '; ', { joint: '；', depth }) ??
    inParts(message, '. ', { joint: '。', depth }) ??
    ended(message, depth)
  );
}

function fitted(message: string, depth: number): string | null {
  patterns ??= Object.entries(chinese)
    .filter(([english]) => english.includes('{}'))
    .map(([english, zh]) => ({
      fixed: english.split('{}'),
      zh,
      isListed: Object.hasOwn(parameters, english) || Object.hasOwn(words, english),
    }))
    .toSorted((one, other) => other.fixed.join('').length - one.fixed.join('').length);
  for (const { fixed, zh, isListed } of patterns) {
    const found = between(fixed, message);
    if (!found || (isListed && message.includes('; ') && found.some((value) => value.includes('; ')))) continue;
    // What a sentence begins with is the name of a tool or of a server, and no part of what somebody else has written.
    if (fixed[0] === '' && /^\{\d?\}/.test(zh) && /\s/.test(found[0] ?? '')) continue;
    const text = filled(zh, found, depth);
    if (text !== null) return text;
  }
  return null;
}

function inParts(message: string, separator: string, { joint, depth }: { readonly joint: string; readonly depth: number }): string | null {
  if (!message.includes(separator)) return null;
  const parts: string[] = [];
  for (const part of message.split(separator)) {
    const known = translated(part, depth + 1);
    if (known === null) return null;
    parts.push(known);
  }
  return parts.join(joint);
}

function ended(message: string, depth: number): string | null {
  const sentence = message.endsWith('.') ? translated(message.slice(0, -1), depth + 1) : null;
  return sentence === null ? null : `${sentence}。`;
}

/** The texts between the fixed parts of a message; null when it has not these parts in this order. */
function between(fixed: readonly string[], message: string): readonly string[] | null {
  const [first = '', ...others] = fixed;
  const last = others.pop() ?? '';
  if (!message.startsWith(first) || !message.endsWith(last)) return null;
  const found: string[] = [];
  let at = first.length;
  for (const part of others) {
    const next = message.indexOf(part, at);
    if (next < 0) return null;
    found.push(message.slice(at, next));
    at = next + part.length;
  }
  const end = message.length - last.length;
  return end < at ? null : [...found, message.slice(at, end)];
}

function filled(zh: string, found: readonly string[], depth: number): string | null {
  let next = 0;
  let isWhole = true;
  const text = zh.replaceAll(/\{([~!]?)(\d?)\}/g, (_, how: string, place: string) => {
    const value = found[place === '' ? next++ : Number(place) - 1] ?? '';
    if (how === '') return value;
    const known = translated(value, depth + 1);
    if (how === '!' && known === null) isWhole = false;
    return known ?? value;
  });
  return isWhole ? text : null;
}
