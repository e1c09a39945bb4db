import { useId, type ComponentProps, type ReactNode } from 'react';
import { useText } from '../language/use-text.js';
import { Icon } from './icon.js';
import { shared } from './text.js';

interface FieldProps {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  readonly fault?: string | undefined;
  readonly isRequired?: boolean;
  /** Draws the control with the attributes that tie it to its label, help and fault. */
  readonly children: (control: ControlAttributes) => ReactNode;
}

export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
}

export function Field({ label, help, fault, isRequired = false, children }: FieldProps) {
  const id = useId();
  const words = useText(shared);
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && (
          <span className="required" title={words.required}>
            {' '}
            *
          </span>
        )}
      </label>
      {children({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': fault !== undefined, 'aria-required': isRequired })}
      <div id={`${id}-about`}>
        {help !== undefined && <p className="help">{help}</p>}
        {fault !== undefined && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
      </div>
    </div>
  );
}

export function TextInput(props: ComponentProps<'input'>) {
  return <input className="input" autoComplete="off" spellCheck={false} {...props} />;
}

export function TextArea(props: ComponentProps<'textarea'>) {
  return <textarea className="input" {...props} />;
}

export function Select({ children, ...rest }: ComponentProps<'select'>) {
  return (
    <select className="select" {...rest}>
      {children}
    </select>
  );
}

export function Checkbox({ label, ...rest }: Omit<ComponentProps<'input'>, 'type'> & { readonly label: ReactNode }) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  );
}

export function SearchInput({ label, ...rest }: ComponentProps<'input'> & { readonly label: string }) {
  return (
    <div className="search grow">
      <Icon name="search" />
      <TextInput type="search" aria-label={label} placeholder={label} {...rest} />
    </div>
  );
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, ReactNode])[];
  readonly onChoose: (value: Value) => void;
}

/** One of a few choices, all of them in sight. */
export function Segments<Value extends string>({ label, value, choices, onChoose }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {choices.map(([choice, shown]) => (
        <label key={choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChoose(choice)} />
          {shown}
        </label>
      ))}
    </div>
  );
}
