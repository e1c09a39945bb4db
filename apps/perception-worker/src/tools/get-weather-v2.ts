import { getWeatherV2 } from '#lib/contracts';
import { handle } from '../services.js';
import { bestPlace, placeTitle, parsePlace } from '../weather/places.js';

export const handleGetWeatherV2 = handle(getWeatherV2, async ({ city, country, unit }, { weather, network, error, ...call }) => {
  const asked = parsePlace(country === 'any' ? city : `${city}, ${country}`);
  const place = bestPlace(await network(() => weather.searchPlaces(asked.name, call)), asked);
  if (!place) throw error('CITY_NOT_FOUND', `There is no city '${city}'${country === 'any' ? '' : ` in '${country}'`}; check the spelling`);
  const [now, air_quality] = await network(() => Promise.all([weather.current(place, unit, call), weather.airQuality(place, call)]));
  return { city: placeTitle(place), ...now, air_quality };
});
