import type { FeedState } from '../data/feed.js';
import { useText } from '../language/use-text.js';
import { Badge } from './badge.js';
import { shared } from './text.js';

/** Whether what is shown is pushed by the gateway now. */
export function FeedBadge({ state }: { readonly state: FeedState }) {
  const words = useText(shared);
  return (
    <Badge tone={state === 'live' ? 'good' : state === 'failed' ? 'bad' : 'warn'}>
      <i className="dot alive" />
      {state === 'live' ? words.live : words.connecting}
    </Badge>
  );
}
