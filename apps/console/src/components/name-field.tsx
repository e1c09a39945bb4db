import { useText } from '../language/use-text.js';
import { Field, TextInput } from './field.js';
import { Notice } from './notice.js';
import { shared } from './text.js';

interface NameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly fault: string | undefined;
  /** What has a name already. */
  readonly others: readonly { readonly name: string }[];
  readonly onChange: (name: string) => void;
}

/** The name of something new; a name that is taken would put it in the place of the other, which is told. */
export function NameField({ label, value, fault, others, onChange }: NameFieldProps) {
  const words = useText(shared);
  return (
    <>
      <Field label={label} help={words.nameHelp} isRequired fault={fault}>
        {(control) => <TextInput {...control} maxLength={64} value={value} onChange={(event) => onChange(event.target.value)} />}
      </Field>
      {others.some(({ name }) => name === value) && <Notice tone="warn">{words.nameTaken(value)}</Notice>}
    </>
  );
}
