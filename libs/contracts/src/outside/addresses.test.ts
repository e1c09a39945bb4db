import { expect, test } from '@jest/globals';
import { addressHere, addressThere } from './addresses.js';

test.each([
  'demo://resource/static/a.md',
  'file:///a/b c.txt',
  'urn:isbn:0451450523',
  'https://example.com/a?b=c&d=%20#e',
  'outside://other/file:///x',
  'test://{id}/{+path}{?query*}',
  'ui://app/view.html',
  'ui://view',
  'ui://',
  'UI://a',
  'x',
  '/',
  'line\nbreak',
  'ü/漢字',
])('%s has one address here, which leads back to it', (uri) => {
  expect(addressThere(addressHere('my-server', uri))).toEqual({ server: 'my-server', uri });
});

test('a page keeps the scheme by which clients know it', () => {
  expect(addressHere('docs', 'ui://app/view.html')).toBe('ui://docs/app/view.html');
});

test('a client that normalises addresses as browsers do asks for the same one', () => {
  const here = addressHere('a_b-1', 'demo://resource/static/a.md?x=1#y');
  expect(new URL(here).href).toBe(here);
});

test.each([
  'docs://invoq/llms.txt',
  'outside://',
  'outside://a',
  'outside://a/',
  'outside:///x',
  'OUTSIDE://a/x',
  'ui://',
  'ui://a',
  'ui://a/',
  '',
])('%j is none of them', (uri) => {
  expect(addressThere(uri)).toBeNull();
});
