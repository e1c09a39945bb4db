import type { WeatherCondition } from '#lib/contracts';

/** The codes of WMO table 4677 that forecasts use, as upper bounds. Higher codes are worse weather. */
const byCode: readonly (readonly [upTo: number, WeatherCondition])[] = [
  [2, 'partly_cloudy'],
  [3, 'overcast'],
  [48, 'fog'],
  [55, 'drizzle'],
  [57, 'freezing_drizzle'],
  [65, 'rain'],
  [67, 'freezing_rain'],
  [77, 'snow'],
  [82, 'rain_showers'],
  [86, 'snow_showers'],
  [95, 'thunderstorm'],
];

/** The condition for a weather code. @param code 0–99 */
export function conditionOf(code: number, isDay: boolean): WeatherCondition {
  if (code <= 1) return isDay ? 'sunny' : 'clear';
  return byCode.find(([upTo]) => code <= upTo)?.[1] ?? 'thunderstorm_with_hail';
}
