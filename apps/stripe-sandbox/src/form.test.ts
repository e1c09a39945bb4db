import { expect, test } from '@jest/globals';
import { parseForm } from './form.js';

test.each([
  ['', {}],
  ['account=acct_1&type=account_onboarding', { account: 'acct_1', type: 'account_onboarding' }],
  ['return_url=https%3A%2F%2Fa.test%2F%3Fx%3D1&name=A+B', { return_url: 'https://a.test/?x=1', name: 'A B' }],
  ['capabilities[transfers][requested]=true', { capabilities: { transfers: { requested: 'true' } } }],
  ['expand[0]=a&expand[1]=b', { expand: ['a', 'b'] }],
  ['expand[]=a&expand[]=b', { expand: ['a', 'b'] }],
  ['a=1&a[b]=2', { a: { b: '2' } }],
  ['a[b]=2&a=1', { a: '1' }],
  ['a', { a: '' }],
])('%j is %j', (text, parameters) => {
  expect(parseForm(text)).toEqual(parameters);
});

test('a name never reaches the prototype of objects', () => {
  expect(Object.entries(parseForm('__proto__[polluted]=1'))).toEqual([['__proto__', { polluted: '1' }]]);
  expect({}).not.toHaveProperty('polluted');
});

test('what is nested too deeply, and what is too much, is left out', () => {
  expect(parseForm(`a${'[b]'.repeat(8)}=1&c=1`)).toEqual({ c: '1' });
  const names = Array.from({ length: 201 }, (_, index) => `p${index}`);
  expect(Object.keys(parseForm(names.map((name) => `${name}=1`).join('&')))).toEqual(names.slice(0, 200));
});
