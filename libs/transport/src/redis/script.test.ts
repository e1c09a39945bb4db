import { describe, expect, test } from '@jest/globals';
import { listOf, Script } from './script.js';

const greet = new Script({
  keys: ['from', 'to'],
  args: { name: 'text', times: 'number', loudly: 'flag' },
  moreArgs: 'words',
  returns: 'a greeting',
  uses: ['local function hello() return name end'],
  lua: `
return hello()`,
});

describe('the source of a script', () => {
  test('opens with its reply, keys and arguments by name, then what it shares with others, then its own steps', () => {
    expect(greet.source).toBe(
      [
        '-- returns a greeting',
        'local fromKey = KEYS[1]',
        'local toKey = KEYS[2]',
        'local name = ARGV[1]',
        'local times = tonumber(ARGV[2])',
        "local loudly = ARGV[3] == '1'",
        'local words = {}',
        'for n = 4, #ARGV do words[n - 3] = ARGV[n] end',
        'local function hello() return name end',
        'return hello()',
        '',
      ].join('\n'),
    );
  });

  test('has no tables when nothing further is sent', () => {
    const plain = new Script({ keys: [], args: {}, returns: '1', lua: 'return 1' });
    expect(plain.source).toBe('-- returns 1\nreturn 1\n');
  });
});

/** The commands of a Redis that gives these answers, in order. */
function redisThat(...answers: unknown[]) {
  const sent: unknown[][] = [];
  const next = async (...command: unknown[]) => {
    sent.push(command);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const redis = { evalsha: (...rest: unknown[]) => next('evalsha', ...rest), eval: (...rest: unknown[]) => next('eval', ...rest) };
  return { redis: redis as never, sent };
}

const call = { keys: { to: 'k2', from: 'k1' }, args: { loudly: true, times: 3, name: 'Ada' }, moreArgs: ['a', 4] };

describe('a call of a script', () => {
  test('sends keys and arguments in the order of the script, whatever the order of the call', async () => {
    const { redis, sent } = redisThat('Hello');
    expect(await greet.run(redis, call)).toBe('Hello');
    expect(sent).toEqual([['evalsha', expect.stringMatching(/^[0-9a-f]{40}$/), 2, 'k1', 'k2', 'Ada', 3, 1, 'a', 4]]);
  });

  test('sends the source once Redis says that it does not know the script', async () => {
    const { redis, sent } = redisThat(new Error('NOSCRIPT No matching script.'), 'Hello');
    expect(await greet.run(redis, call)).toBe('Hello');
    expect(sent[1]).toEqual(['eval', greet.source, 2, 'k1', 'k2', 'Ada', 3, 1, 'a', 4]);
  });

  test('throws any other error, and tries no second time', async () => {
    const { redis, sent } = redisThat(new Error('OOM command not allowed'));
    await expect(greet.run(redis, call)).rejects.toThrow('OOM');
    expect(sent).toHaveLength(1);
  });

  test.each([
    [undefined, null],
    [null, null],
    [7, 7],
    ['text', 'text'],
    [
      [1, ['a', null], 'b'],
      [1, ['a', null], 'b'],
    ],
  ])('reads the reply %j as %j', async (answer, reply) => {
    expect(await greet.run(redisThat(answer).redis, call)).toEqual(reply);
  });

  test('refuses a reply that no script gives', async () => {
    await expect(greet.run(redisThat({ a: 1 }).redis, call)).rejects.toThrow('A script answered with object');
  });
});

test('only a list passes for a list', () => {
  expect(listOf([1, 'a'])).toEqual([1, 'a']);
  for (const other of [null, 'a', 1]) expect(() => listOf(other)).toThrow('A script answered with no list');
});
