import { defineTool } from '../../define-tool.js';
import { getWeather } from './get-weather.js';

/** The documented example of a deprecated tool (TU-72, TU-73). It is listed, and every call is refused. */
export const getWeatherV1 = defineTool({
  ...getWeather,
  name: 'get_weather_v1',
  aliases: [],
  title: 'Current weather (first name)',
  zh: { title: '当前天气（旧名称）', description: '查询一个城市此刻的天气。请改用 get_weather。' },
  deprecated: true,
  sunsetDate: '2026-12-31',
  replacement: 'get_weather',
  migrationGuide: '/docs/migrations/get_weather-1-to-2',
});
