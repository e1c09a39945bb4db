import { useMutation } from '@tanstack/react-query';
import type { Webhook } from '#lib/client';
import { Button } from '../../components/button.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Ago } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { webhooksChanged } from '../../data/webhooks.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';

/** Why nothing arrives, and how it goes on. */
export function WebhookTrouble({ webhook: { id, enabled, disabled_reason, disabled_at, failing_since } }: { readonly webhook: Webhook }) {
  const words = useText(webhooksText);
  const enable = useMutation({
    mutationFn: () => invoq.webhooks.change(id, { enabled: true }),
    onSuccess: async () => {
      toast(words.enabledNow);
      await webhooksChanged();
    },
  });
  if (enabled)
    return (
      failing_since !== null && (
        <Notice tone="warn">
          {words.failingSince} <Ago at={failing_since} />
        </Notice>
      )
    );
  return (
    <Notice tone="bad">
      <div className="stack tight">
        <p>
          <strong>{words.disabledWhy}</strong> {disabled_at !== null && <Ago at={disabled_at} />}
        </p>
        {disabled_reason !== null && <p>{disabled_reason}</p>}
        <div>
          <Button icon="play" disabled={enable.isPending} onClick={() => enable.mutate()}>
            {words.enable}
          </Button>
        </div>
        {enable.error && <ErrorNotice error={enable.error} />}
      </div>
    </Notice>
  );
}
