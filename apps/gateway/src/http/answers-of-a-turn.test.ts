import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { installAnswersOfATurn } from './answers-of-a-turn.js';

test('Answers that are made in one turn are written together, after all of them and in their order', async () => {
  await using app = fastify();
  const went: string[] = [];
  const waiting: (() => void)[] = [];
  app.decorateRequest('facts');
  app.addHook('onRequest', async (asked) => {
    Object.assign(asked, { facts: {} });
  });
  installAnswersOfATurn(app);
  app.get('/', async (_, reply) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const name = String.fromCodePoint(97 + waiting.push(resolve) - 1);
    reply.raw.on('prefinish', () => went.push(`${name} is written`));
    await promise;
    went.push(`${name} is made`);
    return { name };
  });
  const url = await app.listen();
  const asked = [1, 2, 3].map(async () => (await fetch(url)).json());
  while (waiting.length < 3) await new Promise(setImmediate);
  // In one turn, and all that follows from the first happens before the second.
  for (const resolve of waiting) setTimeout(resolve, 1);
  expect(await Promise.all(asked)).toHaveLength(3);
  expect(went).toEqual(['a is made', 'b is made', 'c is made', 'a is written', 'b is written', 'c is written']);
});
