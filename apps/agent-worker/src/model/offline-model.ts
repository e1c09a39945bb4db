// Without a configured model these rules answer, behind the provider's own interface: the whole product runs offline, and its
// tests with it. It decides as a model would have to: from the prompt and the tools that it is given, and from nothing else.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { estimateTokens } from '#lib/contracts';
import { brief, retell, texts } from './offline-answer.js';
import { birthIn, isCrisis, isQuestion, isRefused, skillsIn, termsIn, topicIn, type Birth } from './parse-message.js';

interface Wish {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
type Decision = { readonly text: string } | { readonly calls: readonly Wish[] };

const charts: Readonly<Record<string, string>> = { bazi: 'show_bazi_chart', zodiac: 'show_zodiac_chart' };

export class OfflineModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'offline';
  readonly modelId = 'rules-1';
  readonly supportedUrls = {};

  async doGenerate(): Promise<LanguageModelV4GenerateResult> {
    throw new Error('The offline model streams only');
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const decision = decide(options);
    return { stream: ReadableStream.from(partsOf(decision, options.prompt)) };
  }
}

/** What there is to go on: the last message, what tools have given since, and which tools there are. */
interface Situation {
  readonly message: string;
  readonly system: string;
  readonly birth: Birth | null;
  readonly called: ReadonlySet<string>;
  readonly results: readonly unknown[];
  readonly may: (tool: string) => boolean;
  readonly skills: readonly string[];
}

function decide(options: LanguageModelV4CallOptions): Decision {
  const now = situationOf(options);
  if (isCrisis(now.message)) return { text: texts.crisis };
  if (isRefused(now.message)) return { text: texts.refused };
  const isSub = !now.may('use_skill') && now.system.includes('只从技能');
  if (!isSub && now.called.size === 0) {
    const wanted = skillsIn(now.message, now.skills);
    if (wanted.length > 0 && now.may('use_skill'))
      return { calls: [{ name: 'use_skill', input: { skills: wanted, topic: topicIn(now.message) } }] };
  }
  const lookups = lookupsIn(now);
  if (lookups.length > 0) return { calls: lookups };
  if (isSub) return { text: brief(now.results) };
  const told = retell(now.message, now.results);
  if (told) return { text: told };
  return { text: now.called.has('use_skill') ? texts.askBirth : texts.greeting(now.message) };
}

/** Charts of the skills in use once there is a date, and the knowledge base for what is asked. */
function lookupsIn({ message, birth, called, may, results }: Situation): readonly Wish[] {
  if (results.some((result) => typeof result === 'object' && result !== null && 'analyses' in result)) return [];
  const shown = birth
    ? Object.values(charts)
        .filter((tool) => may(tool) && !called.has(tool))
        .map((name) => ({ name, input: name === charts['bazi'] ? { ...birth } : withoutGender(birth) }))
    : [];
  const isAsked = isQuestion(message) && may('search_knowledge') && !called.has('search_knowledge');
  return isAsked ? [...shown, { name: 'search_knowledge', input: { query: termsIn(message).slice(0, 200), max_results: 3 } }] : shown;
}

function withoutGender({ birth_date, birth_time }: Birth): Omit<Birth, 'gender'> {
  return { birth_date, ...(birth_time && { birth_time }) };
}

function situationOf({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Situation {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const message = textOf(prompt[last]);
  const since = prompt.slice(last + 1);
  const system = textOf(prompt.find(({ role }) => role === 'system'));
  const offered = new Map((toolChoice?.type === 'none' ? [] : (tools ?? [])).map((tool) => [tool.name, tool]));
  const useSkill = offered.get('use_skill');
  const userTexts = prompt.filter(({ role }) => role === 'user').map(textOf);
  return {
    message,
    system,
    birth: userTexts.map(birthIn).findLast((birth) => birth !== null) ?? knownBirth(system),
    called: new Set(
      since.flatMap((one) =>
        one.role === 'assistant' ? one.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])) : [],
      ),
    ),
    results: since.flatMap((one) =>
      one.role === 'tool' ? one.content.flatMap((part) => (part.type === 'tool-result' ? [dataIn(part.output)] : [])) : [],
    ),
    may: (tool) => offered.has(tool),
    skills: useSkill?.type === 'function' ? skillNames(useSkill.inputSchema) : [],
  };
}

/** The birth that a skill has learnt before, as the prompt says it. */
function knownBirth(system: string): Birth | null {
  const [, date, rest = ''] = /"birth_date":"(\d{4}-\d{2}-\d{2})"([^}]*)/.exec(system) ?? [];
  const [, time] = /"birth_time":"(\d{2}:\d{2})"/.exec(rest) ?? [];
  return date ? { birth_date: date, ...(time && { birth_time: time }) } : null;
}

function skillNames(schema: unknown): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"enum":\[([^\]]*)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  );
}

/** A result as it stands between its tags. */
function dataIn(output: { readonly type: string; readonly value?: unknown }): unknown {
  const text = typeof output.value === 'string' ? output.value.replace(/^<\w+>\n|\n<\/\w+>$/g, '') : '';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (!message) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

async function* partsOf(decision: Decision, prompt: LanguageModelV4Prompt): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  const said = 'text' in decision ? decision.text : JSON.stringify(decision.calls);
  if ('text' in decision) {
    yield { type: 'text-start', id: '1' };
    // Words come one after the other, as those of a model do.
    for (const [word] of decision.text.matchAll(/[\u4E00-\u9FFF]{1,4}|[^\u4E00-\u9FFF\s]+\s*|\s+/g)) {
      yield { type: 'text-delta', id: '1', delta: word };
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: 'text-end', id: '1' };
  } else
    for (const [index, { name, input }] of decision.calls.entries())
      yield { type: 'tool-call', toolCallId: `${name}_${prompt.length}_${index}`, toolName: name, input: JSON.stringify(input) };
  const used = estimateTokens(JSON.stringify(prompt));
  yield {
    type: 'finish',
    finishReason: { unified: 'text' in decision ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: used, noCache: used, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: estimateTokens(said), text: estimateTokens(said), reasoning: 0 },
    },
  };
}
