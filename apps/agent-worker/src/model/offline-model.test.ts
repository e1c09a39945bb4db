import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import { greeting, phrasesFor } from './offline-answer.js';
import { OfflineModel } from './offline-model.js';

const toolOf = (name: string, schema: object = {}): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description: name,
  inputSchema: { type: 'object', ...schema },
});
const useSkill = toolOf('use_skill', { properties: { skills: { items: { enum: ['bazi', 'zodiac'] } } } });
const search = toolOf('search_knowledge');
const baziChart = toolOf('show_bazi_chart');
const zodiacChart = toolOf('show_zodiac_chart');
const user = (text: string): LanguageModelV4Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] });
const system = (content: string): LanguageModelV4Prompt[number] => ({ role: 'system', content });
const called = (toolName: string, result: unknown): LanguageModelV4Prompt => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName, input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName,
        output: { type: 'text', value: `<tool_result>\n${JSON.stringify(result)}\n</tool_result>` },
      },
    ],
  },
];

/** What the model does: its text, or the calls that it makes. */
async function decisionOf(options: LanguageModelV4CallOptions) {
  const { stream } = await new OfflineModel().doStream(options);
  let text = '';
  const calls: Record<string, unknown> = {};
  let finish = '';
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    else if (part.type === 'tool-call') calls[part.toolName] = JSON.parse(part.input);
    else if (part.type === 'finish') finish = part.finishReason.unified;
  }
  expect(finish).toBe(text ? 'stop' : 'tool-calls');
  return text || calls;
}

describe('the offline model', () => {
  test.each([
    ['帮我看看八字，事业怎么样', { use_skill: { skills: ['bazi'], topic: 'career' } }],
    ['My zodiac sign and my love life', { use_skill: { skills: ['zodiac'], topic: 'relationship' } }],
    ['八字和星座一起看', { use_skill: { skills: ['bazi', 'zodiac'], topic: 'general' } }],
    ['What is insomnia?', { search_knowledge: { query: 'insomnia', max_results: 3 } }],
    ['你好', greeting('你好')],
    ['Hello there', greeting('Hello there')],
    ['我不想活了，看看八字', phrasesFor('中').crisis],
    ['我什么时候死', phrasesFor('中').forbidden],
    ['I want to kill myself', phrasesFor('a').crisis],
    ['When will I die?', phrasesFor('a').forbidden],
  ])('at %j', async (message, expected) => {
    expect(await decisionOf({ prompt: [user(message)], tools: [useSkill, search] })).toEqual(expected);
  });

  test('makes the charts of the skills in use once it knows the birth, the zodiac without the sex', async () => {
    const prompt = [user('1990-05-20 8:30 男，看八字和星座'), ...called('use_skill', { status: 'success' })];
    expect(await decisionOf({ prompt, tools: [useSkill, baziChart, zodiacChart] })).toEqual({
      show_bazi_chart: { birth_date: '1990-05-20', birth_time: '08:30', gender: 'male' },
      show_zodiac_chart: { birth_date: '1990-05-20', birth_time: '08:30' },
    });
  });

  test.each([
    ['an earlier message', [user('1990-05-20'), { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] }]],
    ['the system prompt', [system('<skill_data>\n{"bazi":{"birth_date":"1990-05-20"}}\n</skill_data>')]],
  ] satisfies readonly (readonly [string, LanguageModelV4Prompt])[])('takes the birth from %s', async (_where, before) => {
    const prompt = [...before, user('看看八字'), ...called('use_skill', { status: 'success' })];
    expect(await decisionOf({ prompt, tools: [useSkill, baziChart] })).toEqual({ show_bazi_chart: { birth_date: '1990-05-20' } });
  });

  test('asks for the birth when a skill needs it', async () => {
    const prompt = [user('看看八字'), ...called('use_skill', { status: 'success' })];
    expect(await decisionOf({ prompt, tools: [useSkill, baziChart] })).toBe(phrasesFor('看八字').askBirth);
  });

  test('answers with what tools have found, and does not search twice', async () => {
    const results = [{ title: 'Insomnia', content: 'Sleep less in bed. Get up early. Third.', source: 'AASM' }];
    const prompt = [user('What is insomnia?'), ...called('search_knowledge', { results })];
    const answer = await decisionOf({ prompt, tools: [useSkill, search] });
    expect(answer).toMatch(/^Sleep less in bed\. Get up early\. \(Source: Insomnia, AASM\)/);
    expect(answer).toContain('built-in offline model');
  });

  test('says which tool did not succeed', async () => {
    const prompt = [user('What is insomnia?'), ...called('search_knowledge', { status: 'error', error: { message: 'away' } })];
    expect(await decisionOf({ prompt, tools: [search] })).toContain('One tool did not succeed: away');
  });

  test.each([
    [
      'show_bazi_chart',
      {
        type: 'bazi_chart',
        pillars: { year: { stem: '庚', branch: '午', ten_god: '比肩' } },
        day_master: { stem: '庚', element: 'metal', polarity: 'yang' },
        five_elements: { wood: 0, metal: 3 },
      },
    ],
    [
      'show_zodiac_chart',
      {
        type: 'zodiac_chart',
        sun_sign: 'taurus',
        moon_sign: 'leo',
        ascendant: { sign: 'virgo' },
        aspects: [{ first: 'sun', second: 'moon', aspect: 'trine', orb: 1.5 }],
      },
    ],
    ['use_skill', { analyses: [{ skill: 'bazi', content: 'Strong.' }, { skill: 'zodiac', error: 'late' }, { skill: 'x' }] }],
    ['search_knowledge', { status: 'error', error: { message: 'away' } }],
  ])('speaks of %s in the language of the question', async (tool, result) => {
    const answer = async (...texts: readonly string[]) => {
      const said = await decisionOf({ prompt: [...texts.map(user), ...called(tool, result)], tools: [search, baziChart] });
      // The stems of a chart have no other names.
      return (typeof said === 'string' ? said : '').replaceAll(/[庚午]/g, '');
    };
    expect(await answer('Look at my bazi')).not.toMatch(/[\u4E00-\u9FFF，。（）【】]/);
    expect(await answer('看看八字')).toMatch(/[\u4E00-\u9FFF]{2}/);
    expect(await answer('看看八字', '42')).toMatch(/[\u4E00-\u9FFF]{2}/);
  });

  test('says which attached files it cannot read, and takes their names for no question', async () => {
    const note = '(The user attached the file "猫.png", image/png. It was not read: text files alone are read here. Say so.)';
    expect(await decisionOf({ prompt: [user(`Hello there\n\n${note}`)], tools: [search] })).toBe(
      `I cannot read the attached "猫.png": text files alone are read here.\n\n${greeting('Hello')}`,
    );
  });

  test('calls nothing when it may not', async () => {
    const decision = await decisionOf({ prompt: [user('帮我看看八字')], tools: [useSkill], toolChoice: { type: 'none' } });
    expect(typeof decision).toBe('string');
  });

  test('as a sub-agent looks things up and answers without a notice', async () => {
    const prompt = [system('只从技能 bazi 的角度分析'), user('1990-05-20 看八字')];
    expect(await decisionOf({ prompt, tools: [baziChart] })).toEqual({ show_bazi_chart: { birth_date: '1990-05-20' } });
    expect(await decisionOf({ prompt: [prompt[0] ?? system(''), user('看八字')], tools: [baziChart] })).toBe('资料不足：需要出生日期。');
  });
});
