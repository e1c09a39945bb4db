import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Places } from './places.js';

describe('places', () => {
  test('are taken until there is none, and again when one is left', () => {
    const places = new Places(2);
    expect([places.tryEnter(), places.tryEnter(), places.tryEnter()]).toEqual([true, true, false]);
    places.leave();
    expect([places.isFree, places.tryEnter(), places.isFree]).toEqual([true, true, false]);
  });

  test('go to those who wait, in turn, before anybody else', async () => {
    const places = new Places(1);
    places.tryEnter();
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await places.enter();
      order.push(name);
    });
    places.leave();
    expect(places.tryEnter()).toBe(false);
    await waiting[0];
    expect(order).toEqual(['first']);
    places.leave();
    await waiting[1];
    expect(order).toEqual(['first', 'second']);
  });

  test('are spare while one more is free after the next', () => {
    const places = new Places(3);
    expect(places.hasSpare).toBe(true);
    places.tryEnter();
    expect(places.hasSpare).toBe(true);
    places.tryEnter();
    expect(places.hasSpare).toBe(false);
  });

  test('tell those who keep one that somebody waits, or that there are fewer', () => {
    const places = new Places(1);
    let told = 0;
    const stop = places.onShort(() => (told += 1));
    void places.enter();
    expect([told, places.isShort]).toEqual([0, false]);
    void places.enter();
    expect([told, places.isShort]).toEqual([1, true]);
    places.leave();
    expect([told, places.isShort]).toEqual([1, false]);
    places.resize(0);
    expect([told, places.isShort]).toEqual([2, true]);
    stop();
    void places.enter();
    expect(told).toBe(2);
  });

  test('of another number: more let those in who wait, fewer let nobody in until enough have left', async () => {
    const places = new Places(0);
    const entered = places.enter();
    places.resize(2);
    expect(await entered).toBe(true);
    expect(places.tryEnter()).toBe(true);
    places.resize(1);
    places.leave();
    expect(places.tryEnter()).toBe(false);
    places.leave();
    expect(places.tryEnter()).toBe(true);
  });

  test('that are closed keep nobody waiting and let nobody in', async () => {
    const places = new Places(1);
    places.tryEnter();
    const entered = places.enter();
    places.close();
    places.leave();
    expect([await entered, await places.enter(), places.tryEnter()]).toEqual([false, false, false]);
  });

  test('are never taken by more than there are, and none is lost', async () => {
    const steps = fc.array(fc.constantFrom('try', 'enter', 'leave'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (size, all) => {
        const places = new Places(size);
        let [inside, waiting] = [0, 0];
        for (const step of all) {
          if (step === 'try' && places.tryEnter()) inside += 1;
          if (step === 'enter') {
            waiting += 1;
            void places.enter().then(() => {
              waiting -= 1;
              inside += 1;
            });
          }
          if (step === 'leave' && inside > 0) {
            inside -= 1;
            places.leave();
          }
          await new Promise((resolve) => setImmediate(resolve));
          expect(inside).toBeLessThanOrEqual(size);
          expect(waiting === 0 || inside === size).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});
