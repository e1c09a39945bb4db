// Keyword rules that read a user's message for the offline model. They are enough for the demo and the tests, and no more.
import type { Topic } from '#lib/contracts';

const skillWords: readonly (readonly [skill: string, words: RegExp])[] = [
  ['bazi', /八字|四柱|命盘|五行|日主|大运|流年|生辰|天干|地支|命理|\b(bazi|four pillars|eight characters|day master)\b/i],
  [
    'zodiac',
    /星座|星盘|上升|月亮星座|水逆|白羊|金牛|双子|巨蟹|狮子座|处女座|天秤|天蝎|射手|摩羯|水瓶|双鱼|\b(zodiac|horoscope|astrolog\w*|sun sign|rising sign|aries|taurus|gemini|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)\b/i,
  ],
];
const topicWords: readonly (readonly [topic: Topic, words: RegExp])[] = [
  ['career', /事业|工作|职业|升职|跳槽|创业|career|job|work/i],
  ['relationship', /感情|恋爱|婚姻|对象|姻缘|关系|合不合|love|relationship|marriage|partner/i],
  ['health', /健康|身体|睡眠|养生|health|sleep/i],
  ['fortune', /运势|运气|财运|今年|明年|流年|大运|fortune|luck|year ahead/i],
  ['self', /性格|自己|我是|优点|缺点|天赋|personality|myself|who am i/i],
];
const crisisWords = /自杀|轻生|不想活|想死|结束生命|自残|kill myself|suicide|end my life/i;
const forbiddenWords = /彩票|中奖号码|什么时候死|几岁死|寿命|买哪只股票|lottery|when will i die|which stock/i;
const questionWords = /什么|为什么|怎么|如何|多少|吗|？|\?|\b(what|why|how|which|explain)\b/i;

/** Those of the skills that the text names by a keyword. */
export function matchSkills(text: string, among: readonly string[]): readonly string[] {
  return skillWords.filter(([skill, words]) => among.includes(skill) && words.test(text)).map(([skill]) => skill);
}

/** The first topic that the text names by a keyword; `general` without one. */
export function matchTopic(text: string): Topic {
  return topicWords.find(([, words]) => words.test(text))?.[0] ?? 'general';
}

/** Speaks of suicide or self-harm: nothing but the crisis text is an answer. */
export const isCrisis = (text: string): boolean => crisisWords.test(text);
/** Asks for what no chart may tell: death, lotteries, stocks. */
export const isForbidden = (text: string): boolean => forbiddenWords.test(text);
export const isQuestion = (text: string): boolean => questionWords.test(text);
/** Whether somebody who writes so reads Chinese. What is quoted, such as the text of a file, does not count. */
export const isChinese = (text: string): boolean => /[\u4E00-\u9FFF]/.test(writtenIn(text));

const fileNote = /\(The user attached the file ("(?:[^"\\]|\\.)*")/g;

/** The message without the files behind it. */
function writtenIn(text: string): string {
  const at = text.search(fileNote);
  return at <= 0 ? text : text.slice(0, at);
}

/** Names, in quotes, of the attached files that the gateway did not read. */
export function unreadFiles(text: string): readonly string[] {
  return [...text.matchAll(/\(The user attached the file ("(?:[^"\\]|\\.)*"), [^\n]*It was not read/g)].map(([, name = '']) => name);
}

export interface Birth {
  readonly birth_date: string;
  readonly birth_time?: string;
  readonly gender?: 'male' | 'female';
}

/** The first date from 1900 to 2099 in a text (1990-05-20, 1990年5月20日, 1990/5/20), with time and sex if given; null without one. */
export function parseBirth(text: string): Birth | null {
  const [, year = '', month = '', day = ''] = /\b((?:19|20)\d{2})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})/.exec(text) ?? [];
  const birth_date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (!year || Number.isNaN(Date.parse(birth_date))) return null;
  const time = parseTime(text);
  const gender = /女|\b(female|woman|girl)\b/i.test(text) ? 'female' : /男|\b(male|man|boy)\b/i.test(text) ? 'male' : null;
  return { birth_date, ...(time && { birth_time: time }), ...(gender && { gender }) };
}

/** `HH:MM` on a 24-hour clock, read outside of the date; null without a time or for an hour past 23. */
function parseTime(text: string): string | null {
  const [, half = '', hour = '', minute = ''] =
    /(?:(上午|早上|凌晨|下午|晚上|中午)\s*)?(\d{1,2})\s*(?:[:：]|点|时)\s*(\d{2}|半)?/.exec(
      text.replace(/\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}日?/, ''),
    ) ?? [];
  if (!hour) return null;
  const late = (half === '下午' || half === '晚上') && Number(hour) < 12 ? 12 : 0;
  const value = Number(hour) + late;
  return value > 23 ? null : `${String(value).padStart(2, '0')}:${minute === '半' ? '30' : minute || '00'}`;
}

const asking =
  /请问|告诉我|解释一下|(是|有)?什么意思|代表什么|指的?是什么|是什么|什么(叫|是)|里的|中的|[?？。！]|\b(what (is|are|does)|please|explain)\b/gi;

/** A question without the words that only ask, to search for; the whole text when nothing else is in it. */
export function searchTerms(text: string): string {
  const terms = text.replace(asking, ' ').replace(/\s+/g, ' ').trim();
  return terms === '' ? text : terms;
}
