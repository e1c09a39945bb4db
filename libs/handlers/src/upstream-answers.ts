// What upstreams' APIs answered in one attempt, for a developer who asked (TU-67, C-84): bounded, with secrets and people's data masked.

/** One answer of an upstream's API. */
export interface UpstreamAnswer {
  /** The request, such as `GET /v1/forecast`: without host and query. */
  readonly api: string;
  /** HTTP status, or the protocol's own name of the result. */
  readonly status: number | string;
  readonly body: unknown;
}

/** Only the last answers are kept: they led to the result. */
const maxAnswers = 5;
const maxBytes = 8_192;
const maxText = 500;
const maxItems = 20;
const maxFields = 50;
const maxDepth = 8;
const mask = '[redacted]';

export class UpstreamAnswers {
  readonly #wanted: boolean;
  readonly #answers: UpstreamAnswer[] = [];

  constructor(wanted: boolean) {
    this.#wanted = wanted;
  }

  add(answer: UpstreamAnswer): void {
    if (!this.#wanted) return;
    this.#answers.push({ ...answer, body: shownBody(answer.body) });
    if (this.#answers.length > maxAnswers) this.#answers.shift();
  }

  /** `internal_api_response` is the last answer, `earlier_api_responses` those before it. */
  shown(): Readonly<Record<string, unknown>> {
    const last = this.#answers.at(-1);
    if (!last) return {};
    const earlier = this.#answers.slice(0, -1);
    return { internal_api_response: last, ...(earlier.length > 0 && { earlier_api_responses: earlier }) };
  }
}

const maskedKey =
  /pass(word|wd|phrase)?$|secret|token$|authorization|api[-_]?key|access[-_]?key|private[-_]?key|cookie|credential|signature|session|e[-_]?mail|phone|mobile|ssn|passport|id[-_]?(card|number)|birth|iban/i;
const maskedTexts: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // A signed or one-time link is in its query.
  [/(https?:\/\/[^\s"'<>?#]{1,2000})[?#][^\s"'<>]+/gi, `$1?${mask}`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${mask}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, mask],
  [/\b(sk|rk|pk|whsec|ghp|gho|xox[abp])[-_][\w-]{8,}/g, mask],
  [/[\w.+-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63}){1,5}/g, mask],
  // Identity numbers and mobile numbers of China, and numbers with a country's code.
  [/(?<!\d)\d{17}[\dXx](?!\d)/g, mask],
  [/(?<!\d)1[3-9]\d{9}(?!\d)/g, mask],
  [/\+\d[\d ()-]{7,18}\d/g, mask],
];

/** What may be shown of a body. What is larger than 8 KiB is shown as the beginning of its text. */
export function shownBody(body: unknown): unknown {
  const shown = shownValue(body, 0);
  const text = JSON.stringify(shown) ?? 'null';
  return text.length <= maxBytes ? shown : { cut: true, characters: text.length, text: text.slice(0, maxBytes - 100).toWellFormed() };
}

function shownValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shownText(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth >= maxDepth) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item: unknown) => shownValue(item, depth + 1));
    return value.length > maxItems ? [...items, `… ${value.length - maxItems} more`] : items;
  }
  const fields = Object.entries(value);
  const shown = fields
    .slice(0, maxFields)
    .map(([key, item]: [string, unknown]) => [
      key.slice(0, 100),
      maskedKey.test(key) && item !== null && typeof item !== 'boolean' ? mask : shownValue(item, depth + 1),
    ]);
  return { ...Object.fromEntries(shown), ...(fields.length > maxFields && { '…': `${fields.length - maxFields} more` }) };
}

/** What may be shown of a text: without what looks like a secret or a person, at most 500 characters. */
export function shownText(text: string): string {
  const masked = maskedTexts.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text.slice(0, 4 * maxText));
  return text.length > 4 * maxText || masked.length > maxText ? `${masked.slice(0, maxText).toWellFormed()}…` : masked;
}
