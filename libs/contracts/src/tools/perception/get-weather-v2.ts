import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { currentWeather, placeName, temperatureUnit, weatherRules } from './weather-fields.js';

/** get_weather 2.1.0 of the version samples (TU-71, C-29), a preview for calls of `get_weather@2`. */
export const getWeatherV2 = defineTool({
  name: 'get_weather',
  aliases: ['get_current_weather'],
  version: '2.1.0',
  preview: true,
  changelog: {
    '2.1.0': 'Air quality.',
    '2.0.0': 'The parameter location is called city, the answer’s location too (incompatible).',
    '1.0.0': 'First version.',
  },
  title: 'Current weather and air',
  description:
    'Get the weather and the air quality in a city at this moment. The city may be narrowed by its country; unknown cities are refused. Data by Open-Meteo.com.',
  zh: {
    title: '当前天气与空气质量',
    description: '查询一个城市此刻的天气和空气质量。可用国家缩小范围；未知的城市会被拒绝。数据来自 Open-Meteo.com。',
  },
  domain: 'perception',
  effect: 'read',
  input: z.strictObject({
    city: placeName().describe("Name of the city, such as 'Beijing', '北京' or 'San Francisco, CA', 1–100 characters."),
    country: placeName()
      .default('any')
      .describe("Name or two-letter code of the country, such as 'China' or 'CN'; any takes the best known."),
    unit: temperatureUnit.default('celsius').describe('Unit of temperatures, celsius or fahrenheit.'),
  }),
  output: z.strictObject({
    city: z.string().describe('The place that was found.'),
    ...currentWeather,
    air_quality: z.strictObject({
      us_aqi: z.int().nonnegative().describe('Index of the US EPA, 0–500; 50 and less is good.'),
      pm2_5: z.number().nonnegative().describe('µg/m³.'),
      pm10: z.number().nonnegative().describe('µg/m³.'),
    }),
  }),
  ...weatherRules,
  estimatedTokens: { input: 50, output: { typical: 100, max: 200 } },
  migrationGuide: '/docs/migrations/get_weather-1-to-2',
  examples: [
    {
      input: { city: 'Beijing' },
      output: {
        city: 'Beijing, China',
        temperature: 25,
        unit: 'celsius',
        condition: 'sunny',
        feels_like: 24.1,
        humidity_percent: 31,
        wind_kmh: 11.2,
        observed_at: '2026-06-01T04:15:00.000Z',
        air_quality: { us_aqi: 61, pm2_5: 17.2, pm10: 40.1 },
      },
    },
  ],
});
