import { createHash } from 'node:crypto';
import type { ModelServer } from '#lib/testing';
import { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { mutated } from '../grammar/mutate.js';

/** A model that answers with hostile texts, and calls tools with parameters that nobody checked. */
export function answeringModel(model: ModelServer, seed: number): void {
  model.on(
    () => true,
    ({ texts, tools }) => {
      const random = new Random(seed, `model-${createHash('sha256').update(texts.join('\n')).digest('hex')}`);
      const text = random.chance(0.7) ? ['Hello', ', this is ', 'an answer.'] : hostileText(random);
      // A model that always calls never ends a turn.
      if (tools.length === 0 || texts.length > 6 || random.chance(0.5)) return { text };
      const calls = Array.from({ length: random.integer(1, 3) }, () => ({
        name: random.chance(0.9) ? random.pick(tools) : hostileText(random),
        arguments: random.chance(0.2) ? hostileText(random) : Object(mutated({ query: 'sleep', location: '北京' }, random)),
        ...(random.chance(0.1) && { id: 'same' }),
      }));
      return { text, calls };
    },
  );
}
