import { useMemo } from 'react';
import type { JsonSchema } from '#lib/contracts';
import { useText } from '../../language/use-text.js';
import { formOf } from './form-of.js';
import { withField, type Input } from './input.js';
import { FieldEditor, type Faults } from './field-editor.js';
import { formText } from './text.js';

interface SchemaFormProps {
  readonly schema: JsonSchema;
  readonly input: Input;
  /** Of the last answer, by path. */
  readonly faults: Faults;
  readonly onChange: (input: Input) => void;
}

/** A form for the parameters of a tool. What is left out is not sent. */
export function SchemaForm({ schema, input, faults, onChange }: SchemaFormProps) {
  const words = useText(formText);
  const fields = useMemo(() => formOf(schema), [schema]);
  if (fields.length === 0) return <p className="faint">{words.noParameters}</p>;
  return (
    <div className="stack">
      {fields.map((field) => (
        <FieldEditor
          key={field.path}
          field={field}
          path={field.path}
          value={input[field.name]}
          faults={faults}
          onChange={(value) => onChange(withField(input, field.name, value))}
        />
      ))}
    </div>
  );
}
