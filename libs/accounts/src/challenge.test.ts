import { expect, test } from '@jest/globals';
import { scopesWanted } from './challenge.js';

test.each([
  ['Bearer error="insufficient_scope", scope="a b:write", resource_metadata="https://x/y"', ['a', 'b:write']],
  ['Bearer scope="a",error=insufficient_scope', ['a']],
  ['Basic realm="x", Bearer realm="y", error="insufficient_scope", scope="a  a"', ['a']],
  ['Bearer error="insufficient_scope"', []],
  ['Bearer error="insufficient_scope", scope="\u00e9 ok \\\\"', ['ok']],
  ['Bearer error="invalid_token", scope="a"', null],
  ['Bearer error_description="insufficient_scope", scope="a"', null],
  [null, null],
])('%s wants %j', (challenge, scopes) => {
  expect(scopesWanted(403, challenge)).toEqual(scopes);
});

test('a server that does not know the token asks for none', () => {
  expect(scopesWanted(401, 'Bearer error="insufficient_scope", scope="a"')).toBeNull();
});

test('there is a most', () => {
  const all = Array.from({ length: 200 }, (_, n) => `s${n}`).join(' ');
  expect(scopesWanted(403, `Bearer error="insufficient_scope", scope="${all}"`)).toHaveLength(50);
});
