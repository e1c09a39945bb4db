import { useEffect, useId, useState } from 'react';
import { TextInput } from './field.js';

/** Typing is taken as a filter after this pause. */
const pauseMs = 350;

/** Codes that calls end with often, to choose from. */
export const commonCodes = [
  'INVALID_PARAMS',
  'RESOURCE_NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'CANCELLED',
  'EXECUTION_ERROR',
  'NETWORK_ERROR',
  'TIMEOUT',
];

interface TypedFilterProps {
  readonly label: string;
  readonly value: string;
  readonly choices?: readonly string[];
  readonly onSettle: (value: string) => void;
}

/** A filter that is typed or chosen; taken after a pause, so that half a word filters nothing. */
export function TypedFilter({ label, value, choices = [], onSettle }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onSettle(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onSettle]);
  const list = useId();
  return (
    <>
      <TextInput
        aria-label={label}
        placeholder={label}
        list={list}
        size={14}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}
