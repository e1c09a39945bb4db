// Invented weather: the same for the same place and time, warmer towards the equator, by day and in summer.
import { hash } from 'node:crypto';

export interface Air {
  readonly celsius: number;
  readonly feelsLike: number;
  readonly humidity: number;
  readonly windKmh: number;
  readonly weatherCode: number;
  readonly isDay: boolean;
  readonly aqi: number;
  readonly pm25: number;
  readonly pm10: number;
}

const codes = [0, 0, 0, 1, 2, 2, 3, 3, 45, 51, 61, 63, 80, 95];
const coldCodes = [0, 0, 1, 2, 3, 3, 71, 73, 85];
const dayMs = 86_400_000;

/** @param at epoch seconds */
export function airAt(latitude: number, longitude: number, at: number): Air {
  const date = new Date(at * 1_000);
  const solarHour = (date.getUTCHours() + date.getUTCMinutes() / 60 + longitude / 15 + 48) % 24;
  const dayOfYear = (date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs;
  const summer = Math.cos(((dayOfYear - 200) / 365.25) * 2 * Math.PI) * Math.sign(latitude || 1);
  const chance = (name: string): number =>
    parseInt(hash('sha256', `${name} ${latitude} ${longitude} ${Math.floor(at / 10_800)}`).slice(0, 6), 16) / 0xff_ffff;
  const mean = 28 - Math.abs(latitude) * 0.42 + summer * Math.abs(latitude) * 0.22;
  const celsius = mean + 4 * Math.cos(((solarHour - 15) / 24) * 2 * Math.PI) + 5 * (chance('temperature') - 0.5);
  const windKmh = 2 + 28 * chance('wind') ** 2;
  const sky = celsius < 1 ? coldCodes : codes;
  const pm25 = 4 + 70 * chance('dust') ** 2;
  return {
    celsius,
    feelsLike: celsius - windKmh * 0.08,
    humidity: Math.round(30 + 65 * chance('humidity')),
    windKmh,
    weatherCode: sky[Math.floor(chance('sky') * sky.length)] ?? 0,
    isDay: solarHour > 6 && solarHour < 18,
    aqi: Math.round(20 + pm25 * 2),
    pm25,
    pm10: pm25 * 1.4,
  };
}
