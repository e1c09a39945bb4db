import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { birthMoment } from './birth.js';

const pillar = z.strictObject({
  stem: z.string().describe('Heavenly stem, 天干.'),
  branch: z.string().describe('Earthly branch, 地支.'),
  ten_god: z.string().describe('Ten god of the stem, 十神; 日主 for the day.'),
  hidden_stems: z.array(z.strictObject({ stem: z.string(), ten_god: z.string() })).describe('Stems within the branch, 藏干.'),
  nayin: z.string().describe('纳音.'),
});
const solarTerm = z.strictObject({ name: z.string(), at: z.string().describe('Beijing time, YYYY-MM-DD HH:MM:SS.') });

/** Four pillars by the solar calendar: the year turns at 立春, the month at the 节, the day at midnight (VL extension). */
export const showBaziChart = defineTool({
  name: 'show_bazi_chart',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Four pillars chart',
  description:
    'Compute and show the four pillars (八字) of a birth: stems, branches, ten gods, hidden stems, five elements, solar terms, luck cycles. Never invent pillars: call this tool.',
  zh: {
    title: '八字命盘',
    description: '计算并展示出生时间的四柱八字：天干、地支、十神、藏干、五行、节气、大运。切勿自行编造，请调用此工具。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    ...birthMoment,
    gender: sensitive(z.enum(['male', 'female']))
      .optional()
      .describe('Direction of the luck cycles (大运) depends on it.'),
    longitude: sensitive(z.number().min(-180).max(180))
      .optional()
      .describe('Of the place of birth, degrees east, -180–180; with it the hour follows true solar time (真太阳时).'),
  }),
  output: z.strictObject({
    type: z.literal('bazi_chart'),
    pillars: sensitive(z.strictObject({ year: pillar, month: pillar, day: pillar, hour: pillar.nullable() })),
    day_master: sensitive(z.strictObject({ stem: z.string(), element: z.string(), polarity: z.enum(['yin', 'yang']) })),
    five_elements: sensitive(z.strictObject({ wood: z.int(), fire: z.int(), earth: z.int(), metal: z.int(), water: z.int() })).describe(
      'How many of the stems and branches are of each element.',
    ),
    solar_terms: z.strictObject({ previous: solarTerm, next: solarTerm }),
    lunar_date: sensitive(z.string()),
    animal: sensitive(z.string()).describe('生肖 of the year pillar.'),
    luck_cycles: sensitive(z.array(z.strictObject({ from_age: z.int(), from_year: z.int(), pillar: z.string() })).nullable()),
    clock: z.enum(['civil', 'true-solar']).describe('Which clock the day and hour follow.'),
  }),
  errors: {},
  timeoutMs: 2_000,
  estimatedTokens: { input: 40, output: { min: 200, typical: 600, max: 2400 } },
  examples: [
    {
      input: { birth_date: '1990-05-20' },
      output: {
        type: 'bazi_chart',
        pillars: {
          year: { stem: '庚', branch: '午', ten_god: '正官', hidden_stems: [{ stem: '丁', ten_god: '食神' }], nayin: '路旁土' },
          month: { stem: '辛', branch: '巳', ten_god: '七杀', hidden_stems: [{ stem: '丙', ten_god: '伤官' }], nayin: '白蜡金' },
          day: { stem: '乙', branch: '酉', ten_god: '日主', hidden_stems: [{ stem: '辛', ten_god: '七杀' }], nayin: '泉中水' },
          hour: null,
        },
        day_master: { stem: '乙', element: 'wood', polarity: 'yin' },
        five_elements: { wood: 1, fire: 2, earth: 0, metal: 3, water: 0 },
        solar_terms: {
          previous: { name: '立夏', at: '1990-05-06 04:35:00' },
          next: { name: '小满', at: '1990-05-21 15:37:00' },
        },
        lunar_date: '一九九〇年四月廿六',
        animal: '马',
        luck_cycles: null,
        clock: 'civil',
      },
    },
  ],
});
