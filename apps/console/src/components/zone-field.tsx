import { useId, useState } from 'react';
import { Field, TextInput } from './field.js';

interface ZoneFieldProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly onChange: (zone: string) => void;
}

/** An IANA time zone, typed or chosen. */
export function ZoneField({ label, help, value, fault, onChange }: ZoneFieldProps) {
  const [zones] = useState(() => ['UTC', ...Intl.supportedValuesOf('timeZone')]);
  const list = useId();
  return (
    <Field label={label} help={help} fault={fault}>
      {(control) => (
        <>
          <TextInput {...control} list={list} value={value} onChange={(event) => onChange(event.target.value)} />
          <datalist id={list}>
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
