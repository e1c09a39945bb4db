import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { birthMoment } from './birth.js';

export const zodiacSigns = [
  'aries',
  'taurus',
  'gemini',
  'cancer',
  'leo',
  'virgo',
  'libra',
  'scorpio',
  'sagittarius',
  'capricorn',
  'aquarius',
  'pisces',
] as const;
export type ZodiacSign = (typeof zodiacSigns)[number];

const sign = z.enum(zodiacSigns);
const place = { longitude: z.number().describe('Tropical ecliptic longitude of date, degrees.'), sign, degree: z.number() };

/** Tropical positions and aspects of a birth (VL extension). */
export const showZodiacChart = defineTool({
  name: 'show_zodiac_chart',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Zodiac chart',
  description:
    'Compute and show the positions of Sun, Moon and planets in the tropical zodiac at a birth, their aspects, and the ascendant where time and place are known. Never invent positions: call this tool.',
  zh: {
    title: '星盘',
    description: '计算并展示出生时日、月和行星在回归黄道上的位置与相位；已知时间和地点时还有上升点。切勿自行编造，请调用此工具。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    ...birthMoment,
    latitude: sensitive(z.number().min(-66).max(66)).optional().describe('Of the place of birth, degrees north, -66–66.'),
    longitude: sensitive(z.number().min(-180).max(180)).optional().describe('Of the place of birth, degrees east, -180–180.'),
  }),
  output: z.strictObject({
    type: z.literal('zodiac_chart'),
    sun_sign: sensitive(sign),
    moon_sign: sensitive(sign).describe('At noon where the time is not known.'),
    ascendant: sensitive(z.strictObject(place).nullable()).describe('Null without time, latitude and longitude.'),
    bodies: sensitive(z.array(z.strictObject({ body: z.string(), ...place, retrograde: z.boolean() }))),
    aspects: sensitive(
      z.array(
        z.strictObject({
          first: z.string(),
          second: z.string(),
          aspect: z.enum(['conjunction', 'sextile', 'square', 'trine', 'opposition']),
          orb: z.number().describe('Degrees from exact.'),
        }),
      ),
    ),
    time_known: z.boolean(),
  }),
  errors: {},
  timeoutMs: 2_000,
  estimatedTokens: { input: 40, output: { min: 233, typical: 700, max: 2800 } },
  examples: [
    {
      input: { birth_date: '2000-01-01', birth_time: '12:00', timezone: 'UTC' },
      output: {
        type: 'zodiac_chart',
        sun_sign: 'capricorn',
        moon_sign: 'scorpio',
        ascendant: null,
        bodies: [{ body: 'sun', longitude: 280.37, sign: 'capricorn', degree: 10.37, retrograde: false }],
        aspects: [],
        time_known: true,
      },
    },
  ],
});
