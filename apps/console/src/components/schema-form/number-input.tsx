import { useState } from 'react';
import { TextInput, type ControlAttributes } from '../field.js';

interface NumberInputProps extends ControlAttributes {
  readonly value: unknown;
  readonly placeholder: string;
  readonly onChange: (value: unknown) => void;
}

/** A number as it is typed. What is no number goes to the gateway as it is, which says what is wrong with it. */
export function NumberInput({ value, onChange, ...control }: NumberInputProps) {
  const [typed, setTyped] = useState(() => shown(value));
  // `1.` is 1 while it is typed; another value comes from outside.
  const text = valueOf(typed) === value ? typed : shown(value);
  const change = (given: string) => {
    setTyped(given);
    onChange(valueOf(given));
  };
  return <TextInput {...control} inputMode="decimal" value={text} onChange={(event) => change(event.target.value)} />;
}

function valueOf(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}
