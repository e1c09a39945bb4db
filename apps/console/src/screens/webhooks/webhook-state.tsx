import type { Webhook } from '#lib/client';
import { Badge } from '../../components/badge.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';

export function WebhookState({ webhook: { enabled, failing_since } }: { readonly webhook: Webhook }) {
  const words = useText(webhooksText);
  if (!enabled) return <Badge tone="bad">{words.disabled}</Badge>;
  if (failing_since !== null) return <Badge tone="warn">{words.failing}</Badge>;
  return <Badge tone="good">{words.enabled}</Badge>;
}
