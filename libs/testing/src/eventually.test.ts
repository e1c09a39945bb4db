import { describe, expect, jest, test } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  test.each([true, 0, '', 'text', [], {}])('gives %j at once', async (value) => {
    const condition = jest.fn(() => value);
    expect(await eventually(condition)).toBe(value);
    expect(condition).toHaveBeenCalledTimes(1);
  });

  test.each([false, null, undefined])('asks again after %s', async (nothing) => {
    const answers = [nothing, nothing, 'there'];
    expect(await eventually(() => answers.shift())).toBe('there');
  });

  test('waits for conditions that take their time', async () => {
    let asked = 0;
    expect(await eventually(async () => (++asked === 3 ? asked : null))).toBe(3);
  });

  test('says at the bound what did not come', async () => {
    await expect(eventually(() => false, { withinMs: 1, what: 'the answer' })).rejects.toThrow('the answer did not come true within 1 ms');
  });

  test('asks at least once, whatever the bound', async () => {
    expect(await eventually(() => 'there', { withinMs: 0 })).toBe('there');
  });

  test('throws what the condition throws, without asking again', async () => {
    const condition = jest.fn(() => {
      throw new RangeError('broken');
    });
    await expect(eventually(condition)).rejects.toThrow(new RangeError('broken'));
    expect(condition).toHaveBeenCalledTimes(1);
  });
});
