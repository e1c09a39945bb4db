// I4: at most one effect for each invocation, under one key; and every success that changes something has its effect.
import type { Rule } from './violation.js';

export const duplicatedEffect: Rule = ({ history: { upstream }, attribution }) =>
  upstream
    .filter(({ effects }) => effects.length > 1)
    .map(({ order, effects }) => {
      const detail = `${order}: ${effects.map(({ id, key }) => `${id} (${key})`).join(', ')}`;
      return { invariant: 'I4', kind: 'duplicated-effect', fault: attribution.of(order), call: order, detail };
    });

/** Upstream calls of one invocation that carry different keys. */
export const twoKeys: Rule = ({ history: { upstream }, attribution }) =>
  upstream.flatMap(({ order, calls, attempts, notes }) => {
    const keys = new Set([...calls, ...attempts, ...notes].map(({ key }) => key));
    return keys.size > 1
      ? [
          {
            invariant: 'I4',
            kind: 'two-keys',
            fault: attribution.of(order),
            call: order,
            detail: `${order}: ${[...keys].join(', ')}`,
          } as const,
        ]
      : [];
  });

/** A call that changes something was answered with success, and nothing was changed. */
export const missingEffect: Rule = ({ history: { calls, upstream }, attribution }) => {
  const made = new Set(upstream.filter(({ effects }) => effects.length > 0).map(({ order }) => order));
  return calls
    .filter(({ id, kind, endings }) => (kind === 'effect' || kind === 'async') && endings.some(({ ok }) => ok) && !made.has(id))
    .map(({ id }) => ({
      invariant: 'I4',
      kind: 'missing-effect',
      fault: attribution.of(id),
      call: id,
      detail: `${id}: success without an effect`,
    }));
};

/** An order at the ledger that no client made. */
export const unexpected: Rule = ({ history: { calls, upstream } }) => {
  const made = new Set(calls.map(({ id }) => id));
  return upstream
    .filter(({ order }) => !made.has(order))
    .map(({ order }) => ({ invariant: 'I4', kind: 'unexpected', fault: 'run', detail: `${order}: nobody asked for it` }));
};
