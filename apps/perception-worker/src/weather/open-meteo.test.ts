import { expect, test } from '@jest/globals';
import { addressOf } from './open-meteo.js';

const search = { part: 'geocoding', path: 'v1/search', query: { name: 'São Paulo' } } as const;

test.each([
  ['https://api.open-meteo.com/', 'https://geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o+Paulo'],
  ['https://customer-api.open-meteo.com/', 'https://customer-geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o+Paulo'],
  ['http://127.0.0.1:3201/weather/', 'http://127.0.0.1:3201/weather/v1/search?name=S%C3%A3o+Paulo'],
])('at %s places are searched for at %s', (base, wanted) => {
  expect(addressOf(new URL(base), search).href).toBe(wanted);
});
