import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { webhooksChanged } from '../../data/webhooks.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';

/** Sends a test, and says what came of it. */
export function TestButton({ id }: { readonly id: string }) {
  const words = useText(webhooksText);
  const test = useMutation({
    mutationFn: () => invoq.webhooks.test(id),
    onSuccess: ({ state, last_status, last_error, last_duration_ms }) =>
      toast(
        state === 'succeeded' ? words.testOk(last_status ?? 0, formatMs(last_duration_ms ?? 0)) : `${words.testBad} ${last_error ?? ''}`,
      ),
    onError: (error) => toast(error.message),
    onSettled: webhooksChanged,
  });
  return (
    <Button icon="send" disabled={test.isPending} onClick={() => test.mutate()}>
      {words.test}
    </Button>
  );
}
