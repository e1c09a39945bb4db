import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { currentWeather, placeName, temperatureUnit, weatherRules } from './weather-fields.js';

/** get_weather 1.0.0 of the perception node (TU-101); the first sample calls it `get_current_weather` (C-29). */
export const getWeather = defineTool({
  name: 'get_weather',
  aliases: ['get_current_weather'],
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Current weather',
  description:
    'Get the weather in a city at this moment. The city may be followed by its region or country; unknown cities are refused. Data by Open-Meteo.com.',
  zh: {
    title: '当前天气',
    description: '查询一个城市此刻的天气。城市后可加地区或国家；未知的城市会被拒绝。数据来自 Open-Meteo.com。',
  },
  domain: 'perception',
  effect: 'read',
  input: z.strictObject({
    location: placeName().describe("Name of the city, such as 'Beijing', '北京' or 'San Francisco, CA', 1–100 characters."),
    unit: temperatureUnit.default('celsius').describe('Unit of temperatures, celsius or fahrenheit.'),
  }),
  output: z.strictObject({ location: z.string().describe('The place that was found.'), ...currentWeather }),
  ...weatherRules,
  estimatedTokens: { input: 50, output: { typical: 100, max: 200 } },
  examples: [
    {
      input: { location: 'Beijing' },
      output: {
        location: 'Beijing, China',
        temperature: 25,
        unit: 'celsius',
        condition: 'sunny',
        feels_like: 24.1,
        humidity_percent: 31,
        wind_kmh: 11.2,
        observed_at: '2026-06-01T04:15:00.000Z',
      },
    },
  ],
});
