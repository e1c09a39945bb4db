import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReplaySelection } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { Field, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { batchesChanged, batchesKey } from '../../data/batches.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { emptySelection, selectionOf } from './selection.js';
import { SelectionFields } from './selection-fields.js';
import { batchesText } from './text.js';

interface ReplayDialogProps {
  /** Which calls; null for those that meet filters. */
  readonly jobIds: readonly string[] | null;
  readonly onClose: () => void;
}

/** Tries failed calls again, once it is known how many they are. */
export function ReplayDialog({ jobIds, onClose }: ReplayDialogProps) {
  const words = useText(batchesText);
  const common = useText(shared);
  const navigate = useNavigate();
  const [form, setForm] = useState(emptySelection);
  const [rate, setRate] = useState('');
  const selection: ReplaySelection = jobIds ? { job_ids: jobIds } : selectionOf(form);
  const count = useQuery({
    queryKey: [batchesKey, 'replays', selection],
    queryFn: ({ signal }) => invoq.batches.countReplays(selection, { signal }),
    staleTime: 0,
  });
  const replay = useMutation({
    mutationFn: () =>
      invoq.batches.replay(selection, { idempotencyKey: crypto.randomUUID(), ...(Number(rate) > 0 && { ratePerS: Number(rate) }) }),
    onSuccess: async ({ batch_id, total }) => {
      toast(words.replayed(total));
      onClose();
      await navigate({ to: '/batches/$id', params: { id: batch_id } });
      await batchesChanged();
    },
  });
  const error = replay.error ?? count.error;
  const faults = faultsOf(error);
  return (
    <Dialog
      title={words.replay}
      isWide={!jobIds}
      isUnsaved={(form !== emptySelection || rate !== '') && (replay.isIdle || replay.isError)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button look="primary" icon="replay" disabled={!count.data || replay.isPending} onClick={() => replay.mutate()}>
            {count.data ? words.replayNow(count.data) : words.replay}
          </Button>
        </>
      }
    >
      <p className="soft">{words.replayHelp}</p>
      {!jobIds && <SelectionFields form={form} hasCode faults={faults} onChange={setForm} />}
      <Field label={words.rate} help={words.rateHelp} fault={faults.get('rate_per_s')}>
        {(control) => <TextInput {...control} inputMode="decimal" value={rate} onChange={(event) => setRate(event.target.value)} />}
      </Field>
      <p role="status">{count.data === undefined ? count.isFetching && words.counting : count.data === 0 && words.replayNone}</p>
      {error && faults.size === 0 && <ErrorNotice error={error} />}
    </Dialog>
  );
}
