import { expect, test } from '@jest/globals';
import { readNamed } from './named-parameters.js';

test.each<[string, string, readonly string[]]>([
  ['SELECT :a', 'SELECT $1', ['a']],
  ['SELECT :a, :b, :a', 'SELECT $1, $2, $1', ['a', 'b']],
  ['SELECT :a::int', 'SELECT $1::int', ['a']],
  ['SELECT \':a\', ":b", :c', 'SELECT \':a\', ":b", $1', ['c']],
  ["SELECT 'it''s :a', :b", "SELECT 'it''s :a', $1", ['b']],
  ["SELECT E'\\' :a', :b", "SELECT E'\\' :a', $1", ['b']],
  ['SELECT $$ :a $$, $x$ :b $$ $x$, :c', 'SELECT $$ :a $$, $x$ :b $$ $x$, $1', ['c']],
  ['SELECT 1 -- :a\n, :b', 'SELECT 1 -- :a\n, $1', ['b']],
  ['SELECT /* :a /* :b */ :c */ :d', 'SELECT /* :a /* :b */ :c */ $1', ['d']],
  ['SELECT 1 ; \n', 'SELECT 1', []],
  ["SELECT ';'", "SELECT ';'", []],
  ['SELECT typee$1', 'SELECT typee$1', []],
  ["SELECT stole'x:a'", "SELECT stole'x:a'", []],
])('%j is %j', (sql, text, names) => {
  expect(readNamed(sql)).toEqual({ text, names });
});

test.each([
  ['SELECT 1; DROP TABLE a', /more than one statement/],
  ['SELECT $1', /stand as :name/],
  ["SELECT /* ' */ 1; COMMIT -- '", /more than one statement/],
])('%j is refused', (sql, message) => {
  expect(() => readNamed(sql)).toThrow(message);
});
