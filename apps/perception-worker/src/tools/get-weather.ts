import { getWeather } from '#lib/contracts';
import { handle } from '../services.js';
import { bestPlace, placeTitle, parsePlace } from '../weather/places.js';

export const handleGetWeather = handle(getWeather, async ({ location, unit }, { weather, network, error, ...call }) => {
  const asked = parsePlace(location);
  const place = bestPlace(await network(() => weather.searchPlaces(asked.name, call)), asked);
  if (!place) throw error('CITY_NOT_FOUND', `There is no city '${location}'; check the spelling, or add its region or country`);
  return { location: placeTitle(place), ...(await network(() => weather.current(place, unit, call))) };
});
