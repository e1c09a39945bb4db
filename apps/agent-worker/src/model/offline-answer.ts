// The texts of the offline model, in the language of the question. They say that rules answer, and state nothing but what tools returned.
import { z } from 'zod';
import { isChinese, unreadFiles } from './parse-message.js';

const bazi = z.object({
  type: z.literal('bazi_chart'),
  pillars: z.record(z.string(), z.object({ stem: z.string(), branch: z.string(), ten_god: z.string() }).nullable()),
  day_master: z.object({ stem: z.string(), element: z.string(), polarity: z.string() }),
  five_elements: z.record(z.string(), z.number()),
});
const zodiac = z.object({
  type: z.literal('zodiac_chart'),
  sun_sign: z.string(),
  moon_sign: z.string(),
  ascendant: z.object({ sign: z.string() }).nullable(),
  aspects: z.array(z.object({ first: z.string(), second: z.string(), aspect: z.string(), orb: z.number() })),
});
const knowledge = z.object({ results: z.array(z.object({ title: z.string(), content: z.string(), source: z.string() })) });
const analyses = z.object({
  analyses: z.array(z.object({ skill: z.string(), content: z.string().optional(), error: z.string().optional() })),
});
const failed = z.object({ status: z.literal('error'), error: z.object({ message: z.string() }) });

const segmenter = new Intl.Segmenter('zh', { granularity: 'sentence' });
const elements: Readonly<Record<string, string>> = { wood: '木', fire: '火', earth: '土', metal: '金', water: '水' };

/** What the offline model says in one language. */
interface Phrases {
  readonly notice: string;
  readonly crisis: string;
  readonly forbidden: string;
  readonly askBirth: string;
  readonly greeting: string;
  readonly noAnalysis: string;
  readonly unread: (files: readonly string[]) => string;
  readonly source: (sentences: string, from: { readonly title: string; readonly source: string }) => string;
  readonly analysis: (skill: string, content: string | undefined, error: string | undefined) => string;
  readonly failure: (message: string) => string;
  readonly bazi: (chart: z.infer<typeof bazi>) => string;
  readonly zodiac: (chart: z.infer<typeof zodiac>) => string;
}

const zh: Phrases = {
  notice: '（我是内置的离线规则模型，不是大语言模型：只会选择技能、调用工具并转述结果。设置 MODEL 可以接入真正的模型。）',
  crisis:
    '我听到了，你现在一定很难受，谢谢你说出来。先不谈命盘。你现在安全吗？身边有没有可以马上联系的人？如果在中国大陆，请拨打 12356（心理援助）、120 或 110；在其他地方，请拨打当地的紧急号码。我在这里，你愿意的话可以继续说。',
  forbidden:
    '这个问题我不能回答：命盘不能预言生死、彩票或投资，我也不会编造。涉及健康、法律或理财，请咨询专业人士。换一个方向，比如想了解自己的哪一面？',
  askBirth: '可以。请告诉我出生日期（例如 1990-05-20），知道出生时间、地点和性别的话也一并告诉我。',
  greeting: '你好！我可以从八字或星座的角度陪你看看性格、事业、关系与时运，也可以查知识库。你想从哪里开始？',
  noAnalysis: '资料不足：需要出生日期。',
  unread: (files) => `我读不了附件 ${files.join('、')}：这里只读文本文件。`,
  source: (sentences, { title, source }) => `${sentences}（出处：${title}，${source}）`,
  analysis: (skill, content, error) => `【${skill}】${content ?? `未能分析：${error ?? '没有结果'}`}`,
  failure: (message) => `有一个工具没有成功：${message}`,
  bazi: ({ pillars, day_master: self, five_elements: counts }) => {
    const { most, missing } = balanceOf(counts);
    const lack = missing.length > 0 ? `，盘中不见${missing.map((name) => elements[name]).join('、')}` : '';
    const words = pillarsOf(pillars, '时柱未知').join(' ');
    return `四柱为 ${words}，日主${self.stem}${elements[self.element] ?? ''}（${self.polarity === 'yang' ? '阳' : '阴'}）。五行以${elements[most] ?? ''}为多${lack}。少见的五行不是缺陷，只是不常用的力量。`;
  },
  zodiac: ({ sun_sign: sun, moon_sign: moon, ascendant, aspects: [closest] }) => {
    const rising = ascendant ? `，上升 ${ascendant.sign}` : '';
    const tight = closest ? `最紧密的相位是 ${closest.first} 与 ${closest.second} 的 ${closest.aspect}（容许度 ${closest.orb}°）。` : '';
    return `太阳 ${sun}，月亮 ${moon}${rising}。${tight}星盘描述倾向，不决定人生。`;
  },
};

const en: Phrases = {
  notice:
    '(I am the built-in offline model, a set of rules and no language model: I pick skills, call tools and retell what they give. Set MODEL to connect a real one.)',
  crisis:
    'I hear you. This must be very hard, and thank you for saying it. Let us leave charts aside. Are you safe right now? Is there somebody whom you can reach at once? Please call your local emergency number (in mainland China 12356, 120 or 110). I am here, and you may go on if you want to.',
  forbidden:
    'I cannot answer this: no chart foretells death, lotteries or investments, and I make nothing up. For health, law or money please ask a professional. Shall we look elsewhere, for example at a side of yourself?',
  askBirth: 'Gladly. Please tell me the date of birth (such as 1990-05-20), and time, place and sex if you know them.',
  greeting:
    'Hello! I can look at personality, work, relationships and the times ahead through the four pillars or the zodiac, and search the knowledge base. Where would you like to begin?',
  noAnalysis: 'Too little is known: a date of birth is needed.',
  unread: (files) => `I cannot read the attached ${files.join(', ')}: text files alone are read here.`,
  source: (sentences, { title, source }) => `${sentences} (Source: ${title}, ${source})`,
  analysis: (skill, content, error) => `${skill}: ${content ?? `no analysis: ${error ?? 'there is no result'}`}`,
  failure: (message) => `One tool did not succeed: ${message}`,
  bazi: ({ pillars, day_master: self, five_elements: counts }) => {
    const { most, missing } = balanceOf(counts);
    const lack = missing.length > 0 ? `; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing` : '';
    const words = pillarsOf(pillars, '(hour unknown)').join(' ');
    return `The four pillars are ${words}, and the day master is ${self.stem}, ${self.polarity} ${self.element}. Of the five elements ${most} is strongest${lack}. A rare element is no fault, only a strength that is seldom used.`;
  },
  zodiac: ({ sun_sign: sun, moon_sign: moon, ascendant, aspects: [closest] }) => {
    const rising = ascendant ? `, ${ascendant.sign} rising` : '';
    const tight = closest
      ? ` The closest aspect is the ${closest.aspect} of ${closest.first} and ${closest.second} (orb ${closest.orb}°).`
      : '';
    return `Sun in ${sun}, Moon in ${moon}${rising}.${tight} A chart describes tendencies, it does not decide a life.`;
  },
};

/** The phrases in the language of a message. */
export const phrasesFor = (message: string): Phrases => (isChinese(message) ? zh : en);

export const greeting = (message: string): string => {
  const { greeting: hello, notice } = phrasesFor(message);
  return withUnread(message, `${hello} ${notice}`);
};

/** An answer made of tool results; null when none of them can be put into words. */
export function describeResults(message: string, results: readonly unknown[]): string | null {
  const phrases = phrasesFor(message);
  const parts = results.flatMap((result) => partsOf(result, phrases));
  if (parts.length === 0) return null;
  return withUnread(message, `${parts.join('\n\n')}\n\n${phrases.notice}`);
}

/** The answer of a sub-agent: the same texts without the notice. */
export function summariseResults(message: string, results: readonly unknown[]): string {
  const phrases = phrasesFor(message);
  return results.flatMap((result) => partsOf(result, phrases)).join('\n') || phrases.noAnalysis;
}

function withUnread(message: string, answer: string): string {
  const files = unreadFiles(message);
  return files.length === 0 ? answer : `${phrasesFor(message).unread(files)}\n\n${answer}`;
}

function partsOf(result: unknown, phrases: Phrases): string[] {
  const chart = bazi.safeParse(result);
  if (chart.success) return [phrases.bazi(chart.data)];
  const sky = zodiac.safeParse(result);
  if (sky.success) return [phrases.zodiac(sky.data)];
  const found = knowledge.safeParse(result);
  if (found.success) return found.data.results.slice(0, 2).map(({ content, ...from }) => phrases.source(firstSentences(content), from));
  const combined = analyses.safeParse(result);
  if (combined.success) return combined.data.analyses.map(({ skill, content, error }) => phrases.analysis(skill, content, error));
  const failure = failed.safeParse(result);
  return failure.success ? [phrases.failure(failure.data.error.message)] : [];
}

function pillarsOf(pillars: z.infer<typeof bazi>['pillars'], unknown: string): readonly string[] {
  return ['year', 'month', 'day', 'hour'].map((name) => (pillars[name] ? pillars[name].stem + pillars[name].branch : unknown));
}

/** The element that a chart has most of, and those that it has none of. */
function balanceOf(counts: Readonly<Record<string, number>>): { readonly most: string; readonly missing: readonly string[] } {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return { most: sorted[0]?.[0] ?? '', missing: sorted.filter(([, count]) => count === 0).map(([name]) => name) };
}

function firstSentences(content: string): string {
  const sentences = [...segmenter.segment(content.replaceAll(/\s+/g, ' '))].map(({ segment }) => segment);
  return sentences.slice(0, 2).join('').trimEnd().slice(0, 240).toWellFormed();
}
