import type { Budget } from '#lib/client';
import { Field, Segments, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { NameField } from '../../components/name-field.js';
import { shared } from '../../components/text.js';
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
  const { form, set, isChanged } = useForm(() => (budget ? formFrom(budget) : newForm()));
  const body = bodyOf(form);
  const save = async (kept: NonNullable<typeof body>) => {
    await invoq.budgets.put(form.name, kept);
    await onSaved();
  };
  const input = (name: Exclude<keyof BudgetForm, 'period'>) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={budget ? common.editNamed(budget.name) : words.create}
      action={budget ? common.save : words.createNow}
      isWide
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {!budget && (
            <NameField label={words.name} value={form.name} fault={faults.get('name')} others={others} onChange={(name) => set({ name })} />
          )}
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
              onChoose={(period) => set({ period })}
            />
          </div>
          <div className="columns two">
            <ZoneField
              label={words.zone}
              help={words.zoneHelp}
              value={form.timeZone}
              fault={faults.get('time_zone')}
              onChange={(timeZone) => set({ timeZone })}
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
              onChange={(tool) => set({ tool })}
            />
          </div>
        </>
      )}
    </FormDialog>
  );
}
