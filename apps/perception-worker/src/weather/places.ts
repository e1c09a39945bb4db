// Decides which of several places with the same name a text means.
import type { Place } from './open-meteo.js';
import { usStates } from './us-states.js';

export interface PlaceQuery {
  readonly name: string;
  /** Regions, countries or their codes. The place must be inside of all of them. */
  readonly within: readonly string[];
}

/** Parses `San Francisco, CA` into a name and the regions around it. */
export function parsePlace(text: string): PlaceQuery {
  const [name = '', ...within] = text
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean);
  return { name, within };
}

/** The first place that is inside of all regions. The list must be ordered by likelihood. */
export function bestPlace(places: readonly Place[], { within }: PlaceQuery): Place | undefined {
  return places.find((place) => within.every((region) => isWithin(place, region)));
}

/** The title of a place, such as `Springfield, Illinois, United States`, without repetitions. */
export function placeTitle({ name, admin1, country }: Place): string {
  return [name, admin1, country].filter((part, index, all) => part && all.indexOf(part) === index).join(', ');
}

/** Whether a place is inside of a region. Also takes short names of the US and the UK, and postal codes of US states. */
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

/** Text for comparing, without case, accents and points. */
function normalised(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .toLowerCase();
}
