// What can be wrong with a successful answer. Each check is a pure function that returns a finding, or null.
import { overlap, textsIn } from './texts.js';

export interface Evaluated {
  readonly data: unknown;
  /** What was asked; empty when the tool has no question. */
  readonly query: string;
  /** How answers should be: `avoid` words, `language` zh or en, `tone` calm or neutral. Anything else is for other checkers. */
  readonly personality: Readonly<Record<string, unknown>> | null;
  readonly now: Date;
}

export interface Finding {
  readonly check: 'empty' | 'unrelated' | 'stale' | 'unsupported' | 'tone';
  readonly message: string;
}

const leastOverlap = 0.2;
const dayMs = 86_400_000;
/** Fields that say when something was true, and for how long it counts as current. */
const freshness: readonly (readonly [field: RegExp, freshMs: number])[] = [
  [/^observed_at$/, 6 * 3_600_000],
  [/^(last_updated|updated_at|published_at|as_of|effective_date)$/, 365 * dayMs],
];
/** Fields of an answer that hold its results. */
const listFields = ['results', 'documents', 'items', 'hits', 'nodes', 'chunks', 'citations', 'sources'] as const;
const claimFields = new Set(['answer', 'summary', 'conclusion']);
const overstated = /绝对|肯定会|百分之百|100%|毫无疑问|guarantee[ds]?|definitely|without (a|any) doubt|always works/iu;
const excited = /[!！]{2,}|!\s*!|[\u{1F600}-\u{1F64F}]/u;

export function findingsOf(evaluated: Evaluated): readonly Finding[] {
  const isEmpty = emptiness(evaluated);
  // An empty answer gets no other finding.
  const checks = isEmpty ? [isEmpty] : [unrelated(evaluated), stale(evaluated), unsupported(evaluated), tone(evaluated)];
  return checks.filter((finding) => finding !== null);
}

function emptiness({ data }: Evaluated): Finding | null {
  const list = listIn(data);
  if (list?.length === 0) return { check: 'empty', message: 'The answer has no results' };
  return textsIn(data).some(({ text }) => text.trim() !== '') ? null : { check: 'empty', message: 'The answer says nothing' };
}

function unrelated({ data, query }: Evaluated): Finding | null {
  const said = textsIn(data)
    .filter(({ field }) => field !== 'query')
    .map(({ text }) => text)
    .join('\n');
  return overlap(query, said) >= leastOverlap ? null : { check: 'unrelated', message: 'The answer shares hardly a word with the question' };
}

function stale({ data, now }: Evaluated): Finding | null {
  const texts = textsIn(data);
  for (const [field, freshMs] of freshness) {
    const times = texts.filter((one) => field.test(one.field)).map(({ text }) => Date.parse(text));
    const newest = Math.max(...times.filter((time) => !Number.isNaN(time)));
    if (Number.isFinite(newest) && now.getTime() - newest > freshMs)
      return { check: 'stale', message: `The newest of it is of ${new Date(newest).toISOString().slice(0, 10)}` };
  }
  return null;
}

/** A number in a summary must be in the texts that it summarises. */
function unsupported({ data }: Evaluated): Finding | null {
  const texts = textsIn(data);
  const sources = texts.filter(({ field }) => !claimFields.has(field)).map(({ text }) => text);
  const claims = texts.filter(({ field }) => claimFields.has(field)).flatMap(({ text }) => numbersIn(text));
  if (listIn(data) === null && !texts.some(({ field }) => field === 'content')) return null;
  const known = new Set(sources.flatMap(numbersIn));
  const made = claims.find((number) => !known.has(number));
  return made === undefined ? null : { check: 'unsupported', message: `The number ${made} is not in the sources` };
}

function tone({ data, personality }: Evaluated): Finding | null {
  if (!personality) return null;
  const said = textsIn(data)
    .map(({ text }) => text)
    .join('\n');
  const avoided = Array.isArray(personality['avoid'])
    ? personality['avoid'].find((word) => typeof word === 'string' && word !== '' && said.includes(word))
    : undefined;
  if (typeof avoided === 'string') return { check: 'tone', message: `The answer says '${avoided}', which is to be avoided` };
  if (overstated.test(said)) return { check: 'tone', message: 'The answer promises more than anything can be certain of' };
  if (['calm', 'neutral', 'formal', 'objective'].includes(String(personality['tone'])) && excited.test(said))
    return { check: 'tone', message: `The answer is not ${String(personality['tone'])}` };
  const hasHan = /\p{Script=Han}/u.test(said);
  if (personality['language'] === 'zh' && !hasHan) return { check: 'tone', message: 'The answer has no Chinese, and Chinese is wanted' };
  return null;
}

function listIn(data: unknown): readonly unknown[] | null {
  if (typeof data !== 'object' || data === null) return null;
  const lists = listFields.map((name): unknown => Reflect.get(data, name)).filter((value) => Array.isArray(value));
  return lists.length === 0 ? null : lists.flat();
}

function numbersIn(text: string): readonly string[] {
  return [...text.matchAll(/\d+(?:[.,]\d+)*/g)].map(([number]) => number.replaceAll(',', ''));
}
