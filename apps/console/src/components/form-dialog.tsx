import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { faultsOf } from './faults.js';
import type { IconName } from './icon.js';
import { ErrorNotice } from './notice.js';
import { toast } from './toasts.js';

export interface TypedForm<Form> {
  readonly form: Form;
  readonly set: (change: Partial<Form>) => void;
  /** Whether it differs from what it began with. */
  readonly isChanged: boolean;
}

/** What is typed into a form. @param begin what it begins with, asked once */
export function useForm<Form extends object>(begin: () => Form): TypedForm<Form> {
  const [first] = useState(begin);
  const [form, setForm] = useState(first);
  const set = (change: Partial<Form>) => setForm((before) => ({ ...before, ...change }));
  return { form, set, isChanged: JSON.stringify(form) !== JSON.stringify(first) };
}

interface FormDialogProps {
  readonly title: string;
  /** What stands on the button that saves. */
  readonly action: string;
  readonly icon?: IconName;
  readonly isWide?: boolean;
  readonly isChanged: boolean;
  /** Null while something is missing that the gateway would only refuse. What it throws is shown, at the fields that it names. */
  readonly save: (() => Promise<unknown>) | null;
  /** What is said once it is saved. */
  readonly done?: string;
  /** Whether something else is shown in its place once it is saved. */
  readonly staysOpen?: boolean;
  /** Beside the button. */
  readonly note?: ReactNode;
  /** Below the form, and no part of it. */
  readonly below?: ReactNode;
  readonly onClose: () => void;
  /** The fields. @param faults what the gateway said against them, by their paths */
  readonly children: (faults: ReadonlyMap<string, string>) => ReactNode;
}

/** A form in a dialog: it asks before what was typed is lost, saves once, and closes when that is done. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, icon = 'check', isWide = false, isChanged, save, done, staysOpen = false, note, below, onClose, children } = props;
  const formId = useId();
  const saving = useMutation({
    mutationFn: async () => save?.(),
    onSuccess: () => {
      if (done !== undefined) toast(done);
      if (!staysOpen) onClose();
    },
    // What the gateway answers may be a secret, which goes with the dialog.
    gcTime: 0,
  });
  const faults = faultsOf(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save && !saving.isPending) saving.mutate();
  };
  return (
    <Dialog
      title={title}
      isWide={isWide}
      isUnsaved={isChanged && !saving.isSuccess}
      onClose={onClose}
      footer={
        <>
          {note !== undefined && <p className="grow faint">{note}</p>}
          <Button type="submit" form={formId} look="primary" icon={icon} disabled={!save || saving.isPending}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        {children(faults)}
        {saving.error && faults.size === 0 && <ErrorNotice error={saving.error} />}
      </form>
      {below}
    </Dialog>
  );
}
