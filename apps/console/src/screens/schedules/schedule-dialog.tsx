import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import type { Schedule } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { Field, Segments, Select, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { ToolField } from '../../components/tool-field.js';
import { ZoneField } from '../../components/zone-field.js';
import { invoq } from '../../data/gateway.js';
import { schedulesChanged } from '../../data/schedules.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, units, type PartProps, type ScheduleForm, type Unit } from './form.js';
import { MoreFields } from './more-fields.js';
import { Moments, usePreview } from './next-calls.js';
import { schedulesText } from './text.js';

/** Makes a schedule, or changes one. @param schedule null for a new one */
export function ScheduleDialog({ schedule, onClose }: { readonly schedule: Schedule | null; readonly onClose: () => void }) {
  const words = useText(schedulesText);
  const common = useText(shared);
  const formId = useId();
  const [first] = useState(() => (schedule ? formFrom(schedule) : newForm()));
  const [form, setForm] = useState(first);
  const set = (change: Partial<ScheduleForm>) => setForm((before) => ({ ...before, ...change }));
  const body = bodyOf(form);
  const preview = usePreview(body);
  const save = useMutation({
    mutationFn: async () => {
      if (!body) return;
      if (!schedule) await invoq.schedules.create(body);
      else await invoq.schedules.change(schedule.id, { ...body, starts_at: body.starts_at ?? null, ends_at: body.ends_at ?? null });
    },
    onSuccess: async () => {
      toast(words.saved(form.name));
      onClose();
      await schedulesChanged();
    },
  });
  const faults = new Map([...faultsOf(preview.error), ...faultsOf(save.error)]);
  const isSubmittable = body !== null && !save.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSubmittable) save.mutate();
  };
  return (
    <Dialog
      title={schedule ? words.editTitle(schedule.name) : words.create}
      isWide
      isUnsaved={JSON.stringify(form) !== JSON.stringify(first) && !save.isSuccess}
      onClose={onClose}
      footer={
        <>
          <p className="grow faint">{words.rights}</p>
          <Button type="submit" form={formId} look="primary" icon="check" disabled={!isSubmittable}>
            {schedule ? common.save : words.createNow}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        <div className="columns two">
          <Field label={words.name} isRequired fault={faults.get('name')}>
            {(control) => (
              <TextInput {...control} value={form.name} maxLength={64} onChange={(event) => set({ name: event.target.value })} />
            )}
          </Field>
          <ToolField label={words.tool} isRequired value={form.tool} fault={faults.get('tool')} onChange={(tool) => set({ tool })} />
        </div>
        <WhenFields form={form} faults={faults} onChange={set} />
        <section className="panel sunken" aria-label={words.preview}>
          <div className="inside stack tight" aria-live="polite">
            <h3>{words.preview}</h3>
            <Moments preview={preview} timeZone={form.timeZone} />
          </div>
        </section>
        <ToolArguments form={form} faults={faults} onChange={set} />
        <MoreFields form={form} faults={faults} onChange={set} />
        {save.error && faultsOf(save.error).size === 0 && <ErrorNotice error={save.error} />}
      </form>
    </Dialog>
  );
}

function WhenFields({ form, faults, onChange }: PartProps) {
  const words = useText(schedulesText);
  return (
    <>
      <div>
        <Segments
          label={words.kind}
          value={form.kind}
          choices={(['cron', 'every'] as const).map((kind) => [kind, words.kinds[kind]] as const)}
          onChoose={(kind) => onChange({ kind })}
        />
      </div>
      <div className="columns two">
        {form.kind === 'cron' ? (
          <Field label={words.cron} help={words.cronHelp} isRequired fault={faults.get('cron')}>
            {(control) => (
              <TextInput
                {...control}
                className="input mono"
                value={form.cron}
                onChange={(event) => onChange({ cron: event.target.value })}
              />
            )}
          </Field>
        ) : (
          <Field label={words.everyLabel} isRequired fault={faults.get('every_ms')}>
            {(control) => (
              <div className="line">
                <TextInput
                  {...control}
                  inputMode="decimal"
                  value={form.every}
                  onChange={(event) => onChange({ every: event.target.value })}
                />
                <Select
                  aria-label={words.unit}
                  value={form.unit}
                  onChange={(event) => onChange({ unit: units.find((one): one is Unit => one === event.target.value) ?? 'min' })}
                >
                  {units.map((unit) => (
                    <option key={unit} value={unit}>
                      {words.units[unit]}
                    </option>
                  ))}
                </Select>
              </div>
            )}
          </Field>
        )}
        <ZoneField
          label={words.zone}
          value={form.timeZone}
          fault={faults.get('time_zone')}
          onChange={(timeZone) => onChange({ timeZone })}
        />
      </div>
    </>
  );
}

function ToolArguments({ form, faults, onChange }: PartProps) {
  const words = useText(schedulesText);
  const { data: tools = [] } = useTools();
  const tool = tools.find(({ name, aliases }) => name === form.tool.split('@')[0] || aliases.includes(form.tool));
  if (!tool) return null;
  return (
    <section className="stack tight" aria-label={words.arguments}>
      <h3>{words.arguments}</h3>
      <ParametersEditor
        key={tool.name}
        schema={tool.parameters}
        input={form.arguments}
        faults={faults}
        onChange={(input) => onChange({ arguments: input })}
      />
    </section>
  );
}
