import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { api } from '../../data/api.js';
import { batchesChanged, batchesKey } from '../../data/batches.js';
import { useText } from '../../language/use-text.js';
import { emptySelection, selectionOf } from './selection.js';
import { SelectionFields } from './selection-fields.js';
import { batchesText } from './text.js';

/** Cancels open calls, once it is known how many they are. */
export function CancelDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useText(batchesText);
  const common = useText(shared);
  const [form, setForm] = useState(emptySelection);
  const [olderThan, setOlderThan] = useState<string | null>(null);
  const selection = { ...selectionOf(form), ...(olderThan !== null && { to: olderThan }) };
  const count = useQuery({ queryKey: [batchesKey, 'open', selection], queryFn: () => api.countCancels(selection), staleTime: 0 });
  const cancel = useMutation({
    mutationFn: () => api.cancelJobs(selection),
    onSuccess: async ({ cancelled, next_to }) => {
      toast(words.stopped(cancelled));
      setOlderThan(next_to);
      if (next_to === null) onClose();
      await batchesChanged();
    },
  });
  const error = cancel.error ?? count.error;
  const faults = faultsOf(error);
  return (
    <Dialog
      title={words.stop}
      isWide
      isUnsaved={form !== emptySelection && (cancel.isIdle || cancel.isError)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          <Button look="danger" icon="stop" disabled={!count.data || cancel.isPending} onClick={() => cancel.mutate()}>
            {count.data ? words.stopNow(count.data) : words.stop}
          </Button>
        </>
      }
    >
      <p className="soft">{words.stopHelp}</p>
      {olderThan !== null && <Notice tone="warn">{words.stoppedMore}</Notice>}
      <SelectionFields form={form} hasCode={false} faults={faults} onChange={setForm} />
      <p role="status">{count.data === undefined ? count.isFetching && words.counting : count.data === 0 && words.stopNone}</p>
      {error && faults.size === 0 && <ErrorNotice error={error} />}
    </Dialog>
  );
}
