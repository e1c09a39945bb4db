import type { Schedule } from '#lib/client';
import { faultsOf } from '../../components/faults.js';
import { Field, Segments, Select, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { shared } from '../../components/text.js';
import { ToolField } from '../../components/tool-field.js';
import { ZoneField } from '../../components/zone-field.js';
import { invoq } from '../../data/gateway.js';
import { schedulesChanged } from '../../data/schedules.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, units, type PartProps, type Unit } from './form.js';
import { MoreFields } from './more-fields.js';
import { Moments, usePreview } from './next-calls.js';
import { schedulesText } from './text.js';

interface ScheduleDialogProps {
  /** Null for a new one. */
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
}

/** Makes a schedule, or changes one. */
export function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  const words = useText(schedulesText);
  const common = useText(shared);
  const { form, set, isChanged } = useForm(() => (schedule ? formFrom(schedule) : newForm()));
  const body = bodyOf(form);
  const preview = usePreview(body);
  const save = async (kept: NonNullable<typeof body>) => {
    if (!schedule) await invoq.schedules.create(kept);
    else await invoq.schedules.change(schedule.id, { ...kept, starts_at: kept.starts_at ?? null, ends_at: kept.ends_at ?? null });
    await schedulesChanged();
  };
  return (
    <FormDialog
      title={schedule ? words.editTitle(schedule.name) : words.create}
      action={schedule ? common.save : words.createNow}
      isWide
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      note={words.rights}
      onClose={onClose}
    >
      {(refused) => {
        const faults = new Map([...faultsOf(preview.error), ...refused]);
        return (
          <>
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
          </>
        );
      }}
    </FormDialog>
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
