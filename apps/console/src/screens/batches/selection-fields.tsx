import { Field, TextInput } from '../../components/field.js';
import { ToolField } from '../../components/tool-field.js';
import { useText } from '../../language/use-text.js';
import type { SelectionForm } from './selection.js';
import { batchesText } from './text.js';

interface SelectionFieldsProps {
  readonly form: SelectionForm;
  /** Open calls have no error yet. */
  readonly hasCode: boolean;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (form: SelectionForm) => void;
}

export function SelectionFields({ form, hasCode, faults, onChange }: SelectionFieldsProps) {
  const words = useText(batchesText);
  const faultOf = (name: string) => faults.get(name) ?? faults.get(`replay.${name}`);
  return (
    <div className="columns two">
      <ToolField
        label={words.tool}
        help={words.anyTool}
        value={form.tool}
        fault={faultOf('tool')}
        onChange={(tool) => onChange({ ...form, tool })}
      />
      {hasCode && (
        <Field label={words.code} fault={faultOf('code')}>
          {(control) => (
            <TextInput
              {...control}
              className="input mono"
              placeholder="NETWORK_ERROR"
              value={form.code}
              onChange={(event) => onChange({ ...form, code: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label={words.from} fault={faultOf('from')}>
        {(control) => (
          <TextInput
            {...control}
            type="datetime-local"
            value={form.from}
            onChange={(event) => onChange({ ...form, from: event.target.value })}
          />
        )}
      </Field>
      <Field label={words.to} fault={faultOf('to')}>
        {(control) => (
          <TextInput
            {...control}
            type="datetime-local"
            value={form.to}
            onChange={(event) => onChange({ ...form, to: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
