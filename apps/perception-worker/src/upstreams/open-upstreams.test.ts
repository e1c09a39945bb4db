import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { upstreamSettings } from './open-upstreams.js';

const read = (environment: Readonly<Record<string, string>>) => z.object(upstreamSettings).safeParse(environment);

test('without settings every public host may be registered, and no command', () => {
  expect(read({}).data).toEqual({ UPSTREAM_ALLOWED_HOSTS: [], UPSTREAM_COMMANDS: {}, UPSTREAM_RECHECK_MS: 60_000 });
});

test('hosts are a list, commands an object whose arguments may be absent', () => {
  const settings = read({
    UPSTREAM_ALLOWED_HOSTS: ' example.com, ,*.example.org ',
    UPSTREAM_COMMANDS: '{"files":{"command":"npx","args":["x"]},"bare":{"command":"y"}}',
    UPSTREAM_PRIVATE: 'refuse',
  }).data;
  expect(settings).toMatchObject({
    UPSTREAM_ALLOWED_HOSTS: ['example.com', '*.example.org'],
    UPSTREAM_COMMANDS: { files: { command: 'npx', args: ['x'] }, bare: { command: 'y', args: [] } },
    UPSTREAM_PRIVATE: 'refuse',
  });
});

describe('a setting that is wrong names what would be right', () => {
  test.each([
    ['UPSTREAM_COMMANDS', 'npx', /must be a JSON object/],
    ['UPSTREAM_COMMANDS', '[]', /must be a JSON object/],
    ['UPSTREAM_COMMANDS', '{"a":{"command":""}}', /must be a JSON object/],
    ['UPSTREAM_PRIVATE', 'yes', /allow/],
    ['UPSTREAM_RECHECK_MS', '-1', /0/],
    ['UPSTREAM_RECHECK_MS', '3600001', /3600000/],
  ])('%s=%s', (name, value, message) => {
    const { error } = read({ [name]: value });
    expect(error?.issues.map(({ path }) => path.join())).toEqual([name]);
    expect(error && z.prettifyError(error)).toMatch(message);
  });
});
