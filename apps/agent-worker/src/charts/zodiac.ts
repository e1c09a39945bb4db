// Tropical positions by astronomy-engine: apparent geocentric longitudes of the true ecliptic of date.
import { Body, Ecliptic, EclipticGeoMoon, e_tilt, GeoVector, MakeTime, SiderealTime, SunPosition } from 'astronomy-engine';
import { zodiacSigns, type showZodiacChart, type ToolInput, type ToolOutput, type ZodiacSign } from '#lib/contracts';
import { civilFrom, instantOf } from './civil-time.js';

type Birth = ToolInput<typeof showZodiacChart>;
type Chart = Omit<ToolOutput<typeof showZodiacChart>, 'type'>;
type Aspect = Chart['aspects'][number];

const planets = [
  ['mercury', Body.Mercury],
  ['venus', Body.Venus],
  ['mars', Body.Mars],
  ['jupiter', Body.Jupiter],
  ['saturn', Body.Saturn],
  ['uranus', Body.Uranus],
  ['neptune', Body.Neptune],
  ['pluto', Body.Pluto],
] as const;
const aspects = [
  { aspect: 'conjunction', angle: 0, orb: 8 },
  { aspect: 'sextile', angle: 60, orb: 5 },
  { aspect: 'square', angle: 90, orb: 7 },
  { aspect: 'trine', angle: 120, orb: 7 },
  { aspect: 'opposition', angle: 180, orb: 8 },
] as const;
const hourMs = 3_600_000;

/** Without a time noon stands for the day: the Moon may then be 7° off, and there is no ascendant. */
export function zodiacChart(birth: Birth): Chart {
  const { birth_date, birth_time, timezone, latitude, longitude } = birth;
  const at = instantOf(civilFrom(birth_date, birth_time ?? '12:00'), timezone);
  const before = new Date(at.getTime() - hourMs);
  const earlier = new Map(longitudesAt(before));
  const exact = longitudesAt(at);
  const bodies = exact.map(([body, degrees]) => ({
    body,
    ...placeOf(degrees),
    retrograde: signedDifference(earlier.get(body) ?? degrees, degrees) < 0,
  }));
  const isPlaced = birth_time !== undefined && latitude !== undefined && longitude !== undefined;
  return {
    sun_sign: signOf(exact[0]?.[1] ?? 0),
    moon_sign: signOf(exact[1]?.[1] ?? 0),
    ascendant: isPlaced ? placeOf(ascendantAt(at, latitude, longitude)) : null,
    bodies,
    aspects: aspectsOf(exact),
    time_known: birth_time !== undefined,
  };
}

/** Sun first, Moon second. Degrees, 0 ≤ longitude < 360. */
function longitudesAt(at: Date): readonly (readonly [body: string, degrees: number])[] {
  return [
    ['sun', SunPosition(at).elon],
    ['moon', EclipticGeoMoon(at).lon],
    ...planets.map(([name, body]) => [name, Ecliptic(GeoVector(body, at, true)).elon] as const),
  ];
}

/** The ecliptic degree that rises in the east (Meeus, Astronomical Algorithms, ch. 14). */
export function ascendantAt(at: Date, latitude: number, longitude: number): number {
  const sidereal = radians((SiderealTime(at) * 15 + longitude) % 360);
  const tilt = radians(e_tilt(MakeTime(at)).tobl);
  const rising = Math.atan2(Math.cos(sidereal), -(Math.sin(sidereal) * Math.cos(tilt) + Math.tan(radians(latitude)) * Math.sin(tilt)));
  return ((rising * 180) / Math.PI + 360) % 360;
}

function aspectsOf(longitudes: readonly (readonly [string, number])[]): Aspect[] {
  return longitudes
    .flatMap(([first, a], index) => longitudes.slice(index + 1).flatMap(([second, b]) => aspectBetween({ first, second }, a, b)))
    .toSorted((one, other) => one.orb - other.orb);
}

function aspectBetween(pair: { first: string; second: string }, a: number, b: number): Aspect[] {
  const apart = Math.abs(signedDifference(a, b));
  const found = aspects.find(({ angle, orb }) => Math.abs(apart - angle) <= orb);
  return found ? [{ ...pair, aspect: found.aspect, orb: rounded(Math.abs(apart - found.angle)) }] : [];
}

function placeOf(degrees: number): { longitude: number; sign: ZodiacSign; degree: number } {
  return { longitude: rounded(degrees), sign: signOf(degrees), degree: rounded(degrees % 30) };
}

function signOf(degrees: number): ZodiacSign {
  return zodiacSigns[Math.floor(degrees / 30) % 12] ?? 'aries';
}

/** From a to b the short way, −180 to 180. */
function signedDifference(a: number, b: number): number {
  return ((b - a + 540) % 360) - 180;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Down: 29.999° is not yet 30°. */
function rounded(degrees: number): number {
  return Math.floor(degrees * 100) / 100;
}
