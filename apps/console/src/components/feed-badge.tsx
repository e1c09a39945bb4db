import type { FeedState } from '../data/feed.js';
import { useText } from '../language/use-text.js';
import { Badge } from './badge.js';
import { shared } from './text.js';

/** Whether what is shown is pushed by the gateway now. */
export function FeedBadge({ state }: { readonly state: FeedState }) {
  const words = useText(shared);
  return (
    <Badge tone={tones[state]}>
      <i className="dot alive" />
      {words.feed[state]}
    </Badge>
  );
}

const tones = { connecting: 'warn', live: 'good', lost: 'warn', ended: 'plain', failed: 'bad' } as const satisfies Record<
  FeedState,
  string
>;
