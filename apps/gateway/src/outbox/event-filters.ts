import type { WebhookEvent } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import { ExpressionError, Expressions, type Condition } from '../tenants/expression.js';
import { withinTime } from '../tenants/within-time.js';

const keptFilters = 1_000;

/** What a filter may look at. A variable of CEL cannot be called `type`. */
interface LookedEvent {
  readonly event: WebhookEvent;
  readonly data: WebhookEvent['data'];
}

const expressions = new Expressions<LookedEvent>({
  event: { schema: { type: 'string', timestamp: 'string', data: 'map' } },
  data: 'map',
});
const kept = new RecentMap<string, Condition<LookedEvent>>(keptFilters);

/** A filter over `event`, and `data` for short. Throws ExpressionError. */
function eventFilter(text: string): Condition<LookedEvent> {
  const known = kept.get(text);
  if (known) return known;
  const filter = expressions.condition(text);
  kept.set(text, filter);
  return filter;
}

/** What is wrong with a filter; null where nothing is. */
export function filterFault(text: string): string | null {
  try {
    eventFilter(text);
    return null;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/**
 * Whether a filter lets an event through. One that cannot be worked out for it does: nobody waits for what never comes.
 * @param onFault told of that
 */
export function passes(filter: string | null, event: WebhookEvent, onFault: (error: unknown) => void): boolean {
  if (filter === null) return true;
  try {
    return withinTime(event, () => eventFilter(filter).holds({ event, data: event.data }));
  } catch (error) {
    onFault(error);
    return true;
  }
}
