// The texts of the offline model. They say that rules answer, and state nothing but what tools returned.
import { z } from 'zod';
import { isChinese } from './parse-message.js';

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
const notice = {
  zh: '（我是内置的离线规则模型，不是大语言模型：只会选择技能、调用工具并转述结果。设置 MODEL 可以接入真正的模型。）',
  en: '(I am the built-in offline model, a set of rules and no language model: I pick skills, call tools and retell what they give. Set MODEL to connect a real one.)',
} as const;

export const texts = {
  crisis:
    '我听到了，你现在一定很难受，谢谢你说出来。先不谈命盘。你现在安全吗？身边有没有可以马上联系的人？如果在中国大陆，请拨打 12356（心理援助）、120 或 110；在其他地方，请拨打当地的紧急号码。我在这里，你愿意的话可以继续说。',
  forbidden:
    '这个问题我不能回答：命盘不能预言生死、彩票或投资，我也不会编造。涉及健康、法律或理财，请咨询专业人士。换一个方向，比如想了解自己的哪一面？',
  askBirth: '可以。请告诉我出生日期（例如 1990-05-20），知道出生时间、地点和性别的话也一并告诉我。',
  greeting: (message: string) =>
    isChinese(message)
      ? `你好！我可以从八字或星座的角度陪你看看性格、事业、关系与时运，也可以查知识库。你想从哪里开始？${notice.zh}`
      : `Hello! I can look at personality, work, relationships and the times ahead through the four pillars or the zodiac, and search the knowledge base. Where would you like to begin? ${notice.en}`,
} as const;

/** An answer made of tool results; null when none of them can be put into words. */
export function describeResults(message: string, results: readonly unknown[]): string | null {
  const parts = results.flatMap((result) => partsOf(result));
  if (parts.length === 0) return null;
  return `${parts.join('\n\n')}\n\n${isChinese(message) ? notice.zh : notice.en}`;
}

/** The answer of a sub-agent: the same texts without the notice. */
export function summariseResults(results: readonly unknown[]): string {
  return results.flatMap((result) => partsOf(result)).join('\n') || '资料不足：需要出生日期。';
}

function partsOf(result: unknown): string[] {
  const chart = bazi.safeParse(result);
  if (chart.success) return [baziText(chart.data)];
  const sky = zodiac.safeParse(result);
  if (sky.success) return [zodiacText(sky.data)];
  const found = knowledge.safeParse(result);
  if (found.success)
    return found.data.results.slice(0, 2).map(({ title, content, source }) => `${firstSentences(content)}（出处：${title}，${source}）`);
  const combined = analyses.safeParse(result);
  if (combined.success)
    return combined.data.analyses.map(({ skill, content, error }) => `【${skill}】${content ?? `未能分析：${error ?? '没有结果'}`}`);
  const failure = failed.safeParse(result);
  return failure.success ? [`有一个工具没有成功：${failure.data.error.message}`] : [];
}

function baziText({ pillars, day_master: self, five_elements: counts }: z.infer<typeof bazi>): string {
  const words = ['year', 'month', 'day', 'hour'].map((name) => (pillars[name] ? pillars[name].stem + pillars[name].branch : '时柱未知'));
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const most = elements[sorted[0]?.[0] ?? ''] ?? '';
  const missing = sorted.filter(([, count]) => count === 0).map(([name]) => elements[name]);
  const lack = missing.length > 0 ? `，盘中不见${missing.join('、')}` : '';
  return `四柱为 ${words.join(' ')}，日主${self.stem}${elements[self.element] ?? ''}（${self.polarity === 'yang' ? '阳' : '阴'}）。五行以${most}为多${lack}。少见的五行不是缺陷，只是不常用的力量。`;
}

function zodiacText({ sun_sign: sun, moon_sign: moon, ascendant, aspects }: z.infer<typeof zodiac>): string {
  const closest = aspects[0];
  const rising = ascendant ? `，上升 ${ascendant.sign}` : '';
  const tight = closest ? `最紧密的相位是 ${closest.first} 与 ${closest.second} 的 ${closest.aspect}（容许度 ${closest.orb}°）。` : '';
  return `太阳 ${sun}，月亮 ${moon}${rising}。${tight}星盘描述倾向，不决定人生。`;
}

function firstSentences(content: string): string {
  const sentences = [...segmenter.segment(content.replaceAll(/\s+/g, ' '))].map(({ segment }) => segment);
  return sentences.slice(0, 2).join('').trimEnd().slice(0, 240);
}
