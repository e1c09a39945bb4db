// Parameters and results of tools on the spans of their attempts, by the conventions for generative AI: opt-in, and for a collector alone.
import type { Attributes } from '@opentelemetry/api';

const names = { arguments: 'gen_ai.tool.call.arguments', result: 'gen_ai.tool.call.result' } as const;
/** @limit calls: characters of the parameters, and of the result, on a span for a collector; the rest is left out */
const mostCharacters = 8_192;

/** Neither our own store nor a reader of `/traces/{id}` gets these. */
export const contentAttributes: ReadonlySet<string> = new Set(Object.values(names));

export const spanContent = {
  /** Whether a collector takes them: the operator has said so. */
  isTaken: false,
  /** @param shown what a log may show of it */
  of(name: keyof typeof names, shown: unknown): Attributes {
    const text = shown === undefined ? undefined : JSON.stringify(shown);
    return text === undefined ? {} : { [names[name]]: text.length <= mostCharacters ? text : `${wholeCharacters(text)}…` };
  },
};

/** Half a character is one that many stores refuse. */
function wholeCharacters(text: string): string {
  const cut = text.slice(0, mostCharacters);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
