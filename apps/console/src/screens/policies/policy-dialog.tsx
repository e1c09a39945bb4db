import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import type { Policy } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { Checkbox, Field, Segments, TextArea, TextInput } from '../../components/field.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, type PolicyForm } from './form.js';
import { PolicyTester } from './policy-tester.js';
import { policiesText } from './text.js';

interface PolicyDialogProps {
  /** Null for a new one. */
  readonly policy: Policy | null;
  readonly others: readonly Policy[];
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function PolicyDialog({ policy, others, onSaved, onClose }: PolicyDialogProps) {
  const words = useText(policiesText);
  const common = useText(shared);
  const formId = useId();
  const [first] = useState(() => (policy ? formFrom(policy) : newForm));
  const [form, setForm] = useState(first);
  const set = (change: Partial<PolicyForm>) => setForm({ ...form, ...change });
  const body = bodyOf(form);
  const save = useMutation({
    mutationFn: async () => body && invoq.policies.put(form.name, body),
    onSuccess: async () => {
      toast(words.saved(form.name));
      onClose();
      await onSaved();
    },
  });
  const faults = faultsOf(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body && !save.isPending) save.mutate();
  };
  return (
    <Dialog
      title={policy ? words.editTitle(policy.name) : words.create}
      isWide
      isUnsaved={JSON.stringify(form) !== JSON.stringify(first) && !save.isSuccess}
      onClose={onClose}
      footer={
        <Button type="submit" form={formId} look="primary" icon="check" disabled={!body || save.isPending}>
          {policy ? common.save : words.createNow}
        </Button>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        {!policy && (
          <Field label={words.name} help={words.nameHelp} isRequired fault={faults.get('name')}>
            {(control) => (
              <TextInput {...control} maxLength={64} value={form.name} onChange={(event) => set({ name: event.target.value })} />
            )}
          </Field>
        )}
        {!policy && others.some(({ name }) => name === form.name) && <Notice tone="warn">{words.taken(form.name)}</Notice>}
        <Field label={words.when} help={words.whenHelp} isRequired fault={faults.get('when')}>
          {(control) => (
            <TextArea
              {...control}
              className="input mono"
              rows={3}
              maxLength={2_000}
              placeholder={'tool.name == "refund" && args.amount > 100.0'}
              value={form.when}
              onChange={(event) => set({ when: event.target.value })}
            />
          )}
        </Field>
        <div className="line wrap">
          <Segments
            label={words.then}
            value={form.then}
            choices={(['ask', 'deny'] as const).map((one) => [one, words.thens[one]] as const)}
            onChoose={(then) => set({ then })}
          />
        </div>
        <Field label={words.message} help={words.messageHelp[form.then]} fault={faults.get('message')}>
          {(control) => (
            <TextInput {...control} maxLength={500} value={form.message} onChange={(event) => set({ message: event.target.value })} />
          )}
        </Field>
        {form.then === 'ask' && (
          <>
            <Field label={words.expires} help={words.expiresHelp} fault={faults.get('expires_ms')}>
              {(control) => (
                <TextInput {...control} inputMode="decimal" value={form.hours} onChange={(event) => set({ hours: event.target.value })} />
              )}
            </Field>
            <Checkbox label={words.self} checked={form.self} onChange={(event) => set({ self: event.target.checked })} />
          </>
        )}
        {save.error && faults.size === 0 && <ErrorNotice error={save.error} />}
      </form>
      <details>
        <summary>{words.testDraft}</summary>
        <div className="padded">
          <PolicyTester draft={form.when.trim() === '' ? null : { when: form.when.trim(), then: form.then }} />
        </div>
      </details>
    </Dialog>
  );
}
