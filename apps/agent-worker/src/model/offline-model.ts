// Rules that answer when no model is configured, behind the interface of a model provider. The product and its tests run offline
// with them. Like a model, they see only the prompt and the tools of the request.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { estimateTokens } from '#lib/contracts';
import { describeResults, greeting, phrasesFor, summariseResults } from './offline-answer.js';
import { parseBirth, isCrisis, isQuestion, isForbidden, matchSkills, searchTerms, matchTopic, type Birth } from './parse-message.js';

interface PlannedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
type Decision = { readonly text: string } | { readonly calls: readonly PlannedCall[] };

const charts: Readonly<Record<string, string>> = { bazi: 'show_bazi_chart', zodiac: 'show_zodiac_chart' };

/** Streams only, like the agent asks. Its usage is an estimate. */
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

/** What a request tells: the last message, the results of tools since then, and the tools that may be called. */
interface Situation {
  readonly message: string;
  /** The last message that is more than numbers: its language is that of the answer. */
  readonly spoken: string;
  readonly system: string;
  readonly birth: Birth | null;
  readonly called: ReadonlySet<string>;
  readonly results: readonly unknown[];
  readonly isAvailable: (tool: string) => boolean;
  readonly skills: readonly string[];
}

/** A crisis and forbidden questions first; then the choice of skills, lookups, and the answer made of their results. */
function decide(options: LanguageModelV4CallOptions): Decision {
  const now = readSituation(options);
  if (isCrisis(now.message)) return { text: phrasesFor(now.spoken).crisis };
  if (isForbidden(now.message)) return { text: phrasesFor(now.spoken).forbidden };
  const isSubAgent = !now.isAvailable('use_skill') && now.system.includes('只从技能');
  if (!isSubAgent && now.called.size === 0) {
    const wanted = matchSkills(now.message, now.skills);
    if (wanted.length > 0 && now.isAvailable('use_skill'))
      return { calls: [{ name: 'use_skill', input: { skills: wanted, topic: matchTopic(now.message) } }] };
  }
  const calls = planCalls(now);
  if (calls.length > 0) return { calls };
  if (isSubAgent) return { text: summariseResults(now.spoken, now.results) };
  const answer = describeResults(now.spoken, now.results);
  if (answer) return { text: answer };
  return { text: now.called.has('use_skill') ? phrasesFor(now.spoken).askBirth : greeting(now.spoken) };
}

/** A chart of each skill in use once a birth date is known, and a search of the knowledge base for a question. */
function planCalls({ message, birth, called, isAvailable, results }: Situation): readonly PlannedCall[] {
  if (results.some((result) => typeof result === 'object' && result !== null && 'analyses' in result)) return [];
  const chartCalls = birth
    ? Object.values(charts)
        .filter((tool) => isAvailable(tool) && !called.has(tool))
        .map((name) => ({ name, input: name === charts['bazi'] ? { ...birth } : withoutGender(birth) }))
    : [];
  const isAsked = isQuestion(message) && isAvailable('search_knowledge') && !called.has('search_knowledge');
  return isAsked
    ? [...chartCalls, { name: 'search_knowledge', input: { query: searchTerms(message).slice(0, 200), max_results: 3 } }]
    : chartCalls;
}

function withoutGender({ birth_date, birth_time }: Birth): Omit<Birth, 'gender'> {
  return { birth_date, ...(birth_time && { birth_time }) };
}

function readSituation({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Situation {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const message = textOf(prompt[last]);
  const since = prompt.slice(last + 1);
  const system = textOf(prompt.find(({ role }) => role === 'system'));
  const available = new Map((toolChoice?.type === 'none' ? [] : (tools ?? [])).map((tool) => [tool.name, tool]));
  const useSkill = available.get('use_skill');
  const userTexts = prompt.filter(({ role }) => role === 'user').map(textOf);
  return {
    message,
    spoken: userTexts.findLast((text) => /\p{L}/u.test(text)) ?? message,
    system,
    birth: userTexts.map(parseBirth).findLast((birth) => birth !== null) ?? birthInPrompt(system),
    called: new Set(
      since.flatMap((one) =>
        one.role === 'assistant' ? one.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])) : [],
      ),
    ),
    results: since.flatMap((one) =>
      one.role === 'tool' ? one.content.flatMap((part) => (part.type === 'tool-result' ? [parseResult(part.output)] : [])) : [],
    ),
    isAvailable: (tool) => available.has(tool),
    skills: useSkill?.type === 'function' ? skillNames(useSkill.inputSchema) : [],
  };
}

/** The birth that the system prompt has from an earlier conversation. */
function birthInPrompt(system: string): Birth | null {
  const [, date, rest = ''] = /"birth_date":"(\d{4}-\d{2}-\d{2})"([^}]*)/.exec(system) ?? [];
  const [, time] = /"birth_time":"(\d{2}:\d{2})"/.exec(rest) ?? [];
  return date ? { birth_date: date, ...(time && { birth_time: time }) } : null;
}

function skillNames(schema: unknown): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"enum":\[([^\]]*)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  );
}

/** The JSON of a tool result, without the tags around it. */
function parseResult(output: { readonly type: string; readonly value?: unknown }): unknown {
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
  const output = 'text' in decision ? decision.text : JSON.stringify(decision.calls);
  if ('text' in decision) {
    yield { type: 'text-start', id: '1' };
    // Word by word, as models stream.
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
      outputTokens: { total: estimateTokens(output), text: estimateTokens(output), reasoning: 0 },
    },
  };
}
