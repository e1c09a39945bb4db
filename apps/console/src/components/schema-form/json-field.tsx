import { useState } from 'react';
import { useText } from '../../language/use-text.js';
import { TextArea, type ControlAttributes } from '../field.js';
import { formText } from './text.js';

interface JsonFieldProps extends ControlAttributes {
  readonly reason: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Any JSON, for what the form cannot draw. */
export function JsonField({ reason, value, onChange, ...control }: JsonFieldProps) {
  const words = useText(formText);
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [fault, setFault] = useState('');
  const change = (given: string) => {
    setText(given);
    try {
      onChange(given.trim() === '' ? undefined : JSON.parse(given));
      setFault('');
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <TextArea {...control} className="input mono" value={text} placeholder="{ }" onChange={(event) => change(event.target.value)} />
      <p className="help">{words.asJson(reason)}</p>
      {fault !== '' && <p className="fault">{fault}</p>}
    </>
  );
}
