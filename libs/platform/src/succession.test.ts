import { expect, test } from '@jest/globals';
import { succeedingProcess, Succession } from './succession.js';

const later = (ms: number): number => performance.now() + ms;

test('a process is told of those before it that have ended, and of no others', () => {
  const succession = new Succession();
  const [first, second] = [succession.next(), succession.next()];
  expect(succeedingProcess(second.env)).toEqual({ name: expect.any(String), ended: [] });
  first.onEnded();
  const third = succession.next();
  expect(succeedingProcess(third.env)?.ended).toEqual([succeedingProcess(first.env)?.name]);
});

test('all that ended one after the other are told, also when none of them came to do anything', () => {
  const succession = new Succession();
  const names = Array.from({ length: 4 }, () => {
    const { env, onEnded } = succession.next();
    onEnded();
    return succeedingProcess(env)?.name;
  });
  expect(new Set(names).size).toBe(4);
  expect(succeedingProcess(succession.next().env)?.ended).toEqual(names);
});

test('those that ended more than a minute ago are told no more', () => {
  const succession = new Succession();
  succession.next().onEnded();
  expect(succeedingProcess(succession.next(later(59_000)).env)?.ended).toHaveLength(1);
  expect(succeedingProcess(succession.next(later(61_000)).env)?.ended).toEqual([]);
});

test.each([
  ['no supervisor', {}, null],
  ['an empty name', { INVOQ_PROCESS: '', INVOQ_ENDED_PROCESSES: 'a' }, null],
  ['a name that is none', { INVOQ_PROCESS: 'a.b', INVOQ_ENDED_PROCESSES: 'c' }, null],
  ['itself among the ended', { INVOQ_PROCESS: 'a', INVOQ_ENDED_PROCESSES: 'a,b,,c d' }, { name: 'a', ended: ['b'] }],
  ['nothing before it', { INVOQ_PROCESS: 'a' }, { name: 'a', ended: [] }],
])('%s', (_what, env, told) => {
  expect(succeedingProcess(env)).toEqual(told);
});
