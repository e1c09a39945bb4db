import { useMutation } from '@tanstack/react-query';
import { InvoqError } from '#lib/client';
import type { CallRow } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { Checkbox } from '../../components/field.js';
import { invoq } from '../../data/gateway.js';
import { isOpen } from '../../data/calls.js';
import { useText } from '../../language/use-text.js';
import { callsText } from './text.js';

interface CancelSelectedProps {
  readonly calls: readonly CallRow[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Selects open calls, and cancels them. */
export function CancelSelected({ calls, selected, onSelect }: CancelSelectedProps) {
  const words = useText(callsText);
  const open = calls.filter(isOpen).map(({ job_id }) => job_id);
  const chosen = open.filter((id) => selected.has(id));
  const cancel = useMutation({
    mutationFn: () => Promise.all(chosen.map(cancelOpen)),
    onSuccess: () => onSelect(new Set()),
  });
  if (open.length === 0) return null;
  const areAll = chosen.length === open.length;
  return (
    <>
      <Checkbox label={words.selectAll} checked={areAll} onChange={() => onSelect(new Set(areAll ? [] : open))} />
      {chosen.length > 0 && (
        <Button small look="danger" icon="stop" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {words.cancelSelected(chosen.length)}
        </Button>
      )}
    </>
  );
}

/** One that has ended meanwhile is what was wanted too. */
async function cancelOpen(jobId: string): Promise<void> {
  try {
    await invoq.cancel(jobId);
  } catch (error) {
    if (!(error instanceof InvoqError && error.code === 'CONFLICT')) throw error;
  }
}
