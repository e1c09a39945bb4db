import { expect, test } from '@jest/globals';
import { pathOf } from './unreadable-request.js';

test.each([
  [undefined, '/'],
  ['*', '/'],
  ['/tools?a=http://b/c', '/tools?a=http://b/c'],
  ['http://other.example/mcp?a=1', '/mcp?a=1'],
  ['HTTPS://user@[::1]:1/mcp', '/mcp'],
  ['http://other.example', '/'],
  ['http://other.example?a=/b', '/?a=/b'],
  ['//other.example/mcp', '//other.example/mcp'],
])('the path of the target %s is %s', (url, path) => {
  expect(pathOf({ url })).toBe(path);
});
