// What people write for a place → which of the places of that name they mean.
import type { Place } from './open-meteo.js';
import { usStates } from './us-states.js';

export interface PlaceQuery {
  readonly name: string;
  /** Region, country or their codes, each of which the place must fit. */
  readonly within: readonly string[];
}

/** `San Francisco, CA` → San Francisco within California. */
export function parsePlace(text: string): PlaceQuery {
  const [name = '', ...within] = text
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean);
  return { name, within };
}

/** The first place that lies within all that was named; the search gives the likeliest first. */
export function bestPlace(places: readonly Place[], { within }: PlaceQuery): Place | undefined {
  return places.find((place) => within.every((region) => isWithin(place, region)));
}

/** Such as `Springfield, Illinois, United States`. */
export function placeTitle({ name, admin1, country }: Place): string {
  return [name, admin1, country].filter((part, index, all) => part && all.indexOf(part) === index).join(', ');
}

function isWithin(place: Place, region: string): boolean {
  const wanted = normalised(region);
  const names = [place.admin1, place.admin2, place.country, place.country_code].map((name) => normalised(name ?? ''));
  if (names.includes(wanted)) return true;
  if (place.country_code !== 'US') return place.country_code === 'GB' && ['uk', 'great britain'].includes(wanted);
  return (
    ['usa', 'america'].includes(wanted) ||
    normalised(usStates[region.toUpperCase().replaceAll('.', '')] ?? '-') === normalised(place.admin1 ?? '')
  );
}

/** Compared without case, accents and points. */
function normalised(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .toLowerCase();
}
