import type { Policy } from '#lib/client';
import { Checkbox, Field, Segments, TextArea, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { NameField } from '../../components/name-field.js';
import { shared } from '../../components/text.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm } from './form.js';
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
  const { form, set, isChanged } = useForm(() => (policy ? formFrom(policy) : newForm));
  const body = bodyOf(form);
  const save = async (kept: NonNullable<typeof body>) => {
    await invoq.policies.put(form.name, kept);
    await onSaved();
  };
  return (
    <FormDialog
      title={policy ? common.editNamed(policy.name) : words.create}
      action={policy ? common.save : words.createNow}
      isWide
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      onClose={onClose}
      below={
        <details>
          <summary>{words.testDraft}</summary>
          <div className="padded">
            <PolicyTester draft={form.when.trim() === '' ? null : { when: form.when.trim(), then: form.then }} />
          </div>
        </details>
      }
    >
      {(faults) => (
        <>
          {!policy && (
            <NameField label={words.name} value={form.name} fault={faults.get('name')} others={others} onChange={(name) => set({ name })} />
          )}
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
        </>
      )}
    </FormDialog>
  );
}
