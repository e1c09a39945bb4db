import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import type { Budget } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { Field, Segments, TextInput } from '../../components/field.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { ToolField } from '../../components/tool-field.js';
import { ZoneField } from '../../components/zone-field.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, type BudgetForm } from './form.js';
import { budgetsText } from './text.js';

interface BudgetDialogProps {
  /** Null for a new one. */
  readonly budget: Budget | null;
  readonly others: readonly Budget[];
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function BudgetDialog({ budget, others, onSaved, onClose }: BudgetDialogProps) {
  const words = useText(budgetsText);
  const common = useText(shared);
  const formId = useId();
  const [first] = useState(() => (budget ? formFrom(budget) : newForm()));
  const [form, setForm] = useState(first);
  const body = bodyOf(form);
  const save = useMutation({
    mutationFn: async () => body && invoq.budgets.put(form.name, body),
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
  const input = (name: Exclude<keyof BudgetForm, 'period'>) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <Dialog
      title={budget ? words.editTitle(budget.name) : words.create}
      isWide
      isUnsaved={JSON.stringify(form) !== JSON.stringify(first) && !save.isSuccess}
      onClose={onClose}
      footer={
        <Button type="submit" form={formId} look="primary" icon="check" disabled={!body || save.isPending}>
          {budget ? common.save : words.createNow}
        </Button>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        {!budget && (
          <Field label={words.name} help={words.nameHelp} isRequired fault={faults.get('name')}>
            {(control) => <TextInput {...control} {...input('name')} maxLength={64} />}
          </Field>
        )}
        {!budget && others.some(({ name }) => name === form.name) && <Notice tone="warn">{words.taken(form.name)}</Notice>}
        <div className="columns two">
          <Field label={words.limitDollars} help={words.oneLimit} fault={faults.get('limit_micros')}>
            {(control) => <TextInput {...control} {...input('dollars')} inputMode="decimal" placeholder="50" />}
          </Field>
          <Field label={words.limitCalls} fault={faults.get('limit_calls')}>
            {(control) => <TextInput {...control} {...input('calls')} inputMode="numeric" placeholder="10000" />}
          </Field>
        </div>
        <div>
          <Segments
            label={words.period}
            value={form.period}
            choices={(['day', 'month'] as const).map((period) => [period, words.periods[period]] as const)}
            onChoose={(period) => setForm({ ...form, period })}
          />
        </div>
        <div className="columns two">
          <ZoneField
            label={words.zone}
            help={words.zoneHelp}
            value={form.timeZone}
            fault={faults.get('time_zone')}
            onChange={(timeZone) => setForm({ ...form, timeZone })}
          />
          <Field label={words.warnAt} help={words.warnHelp} fault={faults.get('warn_at')}>
            {(control) => <TextInput {...control} {...input('warnPercent')} inputMode="decimal" />}
          </Field>
          <Field label={words.user} help={words.leaveEmpty} fault={faults.get('user')}>
            {(control) => <TextInput {...control} {...input('user')} />}
          </Field>
          <Field label={words.key} help={words.keyHelp} fault={faults.get('key')}>
            {(control) => <TextInput {...control} {...input('key')} />}
          </Field>
          <ToolField
            label={words.tool}
            help={words.leaveEmpty}
            value={form.tool}
            fault={faults.get('tool')}
            onChange={(tool) => setForm({ ...form, tool })}
          />
        </div>
        {save.error && faults.size === 0 && <ErrorNotice error={save.error} />}
      </form>
    </Dialog>
  );
}
