import { useId } from 'react';
import { useTools } from '../data/tools.js';
import { Field, TextInput } from './field.js';

interface ToolFieldProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly isRequired?: boolean;
  readonly onChange: (name: string) => void;
}

/** The name of a tool, typed or chosen. */
export function ToolField({ label, help, value, fault, isRequired = false, onChange }: ToolFieldProps) {
  const { data: tools = [] } = useTools();
  const list = useId();
  return (
    <Field label={label} help={help} fault={fault} isRequired={isRequired}>
      {(control) => (
        <>
          <TextInput
            {...control}
            className="input mono"
            list={list}
            value={value}
            onChange={(event) => onChange(event.target.value.trim())}
          />
          <datalist id={list}>
            {tools.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
