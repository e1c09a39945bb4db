import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bestPlace, placeTitle, parsePlace } from './places.js';

const spot = { latitude: 0, longitude: 0 };
const texas = { ...spot, name: 'Paris', admin1: 'Texas', country: 'United States', country_code: 'US' };
const france = { ...spot, name: 'Paris', admin1: 'Île-de-France', country: 'France', country_code: 'FR' };
const london = { ...spot, name: 'London', admin1: 'England', country: 'United Kingdom', country_code: 'GB' };

test.each([
  ['San Francisco, CA', 'San Francisco', ['CA']],
  ['  Paris ,  TX, USA ', 'Paris', ['TX', 'USA']],
  ['北京', '北京', []],
  ["Xi'an", "Xi'an", []],
  [',', '', []],
])('%j is read as a name within regions', (text, name, within) => {
  expect(parsePlace(text)).toEqual({ name, within });
});

test.each([
  ['Paris', france],
  ['Paris, TX', texas],
  ['Paris, T.X.', texas],
  ['Paris, texas, USA', texas],
  ['Paris, US', texas],
  ['Paris, Ile-de-France', france],
  ['Paris, Narnia', undefined],
  ['Paris, CA', undefined],
])('%j means the first place that lies within all that was named', (text, wanted) => {
  expect(bestPlace([france, texas], parsePlace(text))).toBe(wanted);
});

test('the United Kingdom has its short name', () => {
  expect(bestPlace([london], parsePlace('London, UK'))).toBe(london);
});

test('a title names nothing twice', () => {
  expect(placeTitle({ ...spot, name: 'Beijing', admin1: 'Beijing', country: 'China' })).toBe('Beijing, China');
  expect(placeTitle(texas)).toBe('Paris, Texas, United States');
});

test('no text upsets the reading', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const asked = parsePlace(text);
      bestPlace([france, texas, london], asked);
      return asked.within.every((region) => region.trim() === region && region !== '');
    }),
  );
});
