import type { Flow, NewFlow } from '#lib/client';
import { Field, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { NameField } from '../../components/name-field.js';
import { shared } from '../../components/text.js';
import { ToolField } from '../../components/tool-field.js';
import { flowsChanged } from '../../data/flows.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, type FlowForm } from './form.js';
import { flowsText } from './text.js';

interface FlowDialogProps {
  /** Null for a new one. */
  readonly flow: Flow | null;
  readonly others: readonly Flow[];
  readonly onClose: () => void;
}

export function FlowDialog({ flow, others, onClose }: FlowDialogProps) {
  const words = useText(flowsText);
  const common = useText(shared);
  const { form, set, isChanged } = useForm(() => (flow ? formFrom(flow) : newForm));
  const body = bodyOf(form);
  const save = async (kept: NewFlow) => {
    await invoq.flows.put(form.name, kept);
    await flowsChanged();
  };
  const input = (name: keyof FlowForm) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={flow ? common.editNamed(flow.name) : words.create}
      action={flow ? common.save : words.createNow}
      isWide
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {!flow && (
            <NameField label={words.name} value={form.name} fault={faults.get('name')} others={others} onChange={(name) => set({ name })} />
          )}
          <div className="columns two">
            <ToolField
              label={words.tool}
              help={words.leaveEmpty}
              value={form.tool}
              fault={faults.get('tool')}
              onChange={(tool) => set({ tool })}
            />
            <Field label={words.domain} help={words.domainHelp} fault={faults.get('domain')}>
              {(control) => <TextInput {...control} value={form.domain} onChange={(event) => set({ domain: event.target.value.trim() })} />}
            </Field>
          </div>
          <Field label={words.key} help={words.keyHelp} fault={faults.get('key')}>
            {(control) => <TextInput {...control} {...input('key')} className="input mono" maxLength={2_000} placeholder="args.account" />}
          </Field>
          <div className="columns two">
            <Field label={words.concurrency} help={words.concurrencyHelp} fault={faults.get('concurrency')}>
              {(control) => <TextInput {...control} {...input('concurrency')} inputMode="numeric" placeholder="2" />}
            </Field>
            <div className="columns two">
              <Field label={words.most} fault={faults.get('rate.max')}>
                {(control) => <TextInput {...control} {...input('most')} inputMode="numeric" placeholder="10" />}
              </Field>
              <Field label={words.seconds} fault={faults.get('rate.per_ms')}>
                {(control) => <TextInput {...control} {...input('seconds')} inputMode="decimal" />}
              </Field>
            </div>
          </div>
        </>
      )}
    </FormDialog>
  );
}
