import { useText } from '../../language/use-text.js';
import { Button, IconButton } from '../button.js';
import { Field, Select, TextArea, TextInput, type ControlAttributes } from '../field.js';
import type { FormField } from './form-of.js';
import { JsonField } from './json-field.js';
import { NumberInput } from './number-input.js';
import { isInput, withField } from './input.js';
import { formText } from './text.js';

/** What the gateway said against fields, by their paths. */
export type Faults = ReadonlyMap<string, string>;

interface EditorProps<Kind extends FormField['kind'] = FormField['kind']> {
  readonly field: Extract<FormField, { readonly kind: Kind }>;
  /** Place in the parameters, such as `items.0.id`. */
  readonly path: string;
  readonly value: unknown;
  readonly faults: Faults;
  /** Undefined leaves the field out. */
  readonly onChange: (value: unknown) => void;
}

/** One field, whatever its kind. */
export function FieldEditor(props: EditorProps) {
  const { field, path, value, faults, onChange } = props;
  if (field.kind === 'object') return <ObjectEditor {...props} field={field} />;
  if (field.kind === 'list') return <ListEditor {...props} field={field} />;
  const text = typeof value === 'string' ? value : '';
  const put = (given: string) => onChange(given === '' ? undefined : given);
  return (
    <Field label={<FieldName field={field} />} help={<FieldHelp field={field} />} fault={faults.get(path)} isRequired={field.isRequired}>
      {(control) => {
        const named = { ...control, 'data-path': path };
        switch (field.kind) {
          case 'json':
            return <JsonField {...named} reason={field.reason} value={value} onChange={onChange} />;
          case 'number':
            return <NumberInput {...named} value={value} placeholder={placeholderOf(field)} onChange={onChange} />;
          case 'boolean':
          case 'choice':
            return <ChoiceSelect {...named} field={field} value={value} onChange={onChange} />;
          case 'text':
            return field.isLong ? (
              <TextArea {...named} value={text} placeholder={placeholderOf(field)} onChange={(event) => put(event.target.value)} />
            ) : (
              <TextInput {...named} value={text} placeholder={placeholderOf(field)} onChange={(event) => put(event.target.value)} />
            );
        }
      }}
    </Field>
  );
}

interface ChoiceSelectProps extends ControlAttributes {
  readonly field: FormField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function ChoiceSelect({ field, value, onChange, ...control }: ChoiceSelectProps) {
  const words = useText(formText);
  const choices = field.kind === 'choice' ? field.choices : [true, false];
  const at = choices.findIndex((choice) => choice === value);
  // Such as one that is masked: it is kept until another is chosen.
  const isOther = at < 0 && value !== undefined;
  return (
    <Select {...control} value={isOther ? 'other' : at} onChange={(event) => onChange(choices[Number(event.target.value)])}>
      {isOther && <option value="other">{typeof value === 'string' ? value : JSON.stringify(value)}</option>}
      <option value={-1}>{field.absent === undefined ? words.absent : words.absentWith(placeholderOf(field))}</option>
      {choices.map((choice, index) => (
        <option key={String(choice)} value={index}>
          {String(choice)}
        </option>
      ))}
    </Select>
  );
}

function FieldName({ field }: { readonly field: FormField }) {
  return <code>{field.name}</code>;
}

function FieldHelp({ field: { description, limits } }: { readonly field: FormField }) {
  // Many descriptions tell the limits already.
  const isTold = limits === '' || description.replaceAll(',', '').includes(limits.replace(/ (chars|items)$/, ''));
  return (
    <>
      {description} {!isTold && <span className="mono">{limits}</span>}
    </>
  );
}

function placeholderOf({ absent }: FormField): string {
  if (absent === undefined) return '';
  return typeof absent === 'string' ? absent : JSON.stringify(absent);
}

/** An object within the parameters. An optional one is absent until it is added. */
function ObjectEditor({ field, path, value, faults, onChange }: EditorProps<'object'>) {
  const words = useText(formText);
  const present = isInput(value) ? value : null;
  return (
    <fieldset className="group">
      <legend>
        <FieldName field={field} />
        {field.isRequired && <span className="required"> *</span>}{' '}
        {present && !field.isRequired && (
          <IconButton small icon="close" label={words.remove(field.name)} onClick={() => onChange(undefined)} />
        )}
      </legend>
      <p className="help faint">
        <FieldHelp field={field} />
      </p>
      {faults.has(path) && <p className="fault">{faults.get(path)}</p>}
      {present || field.isRequired ? (
        field.fields.map((inner) => (
          <FieldEditor
            key={inner.path}
            field={inner}
            path={`${path}.${inner.name}`}
            value={present?.[inner.name]}
            faults={faults}
            onChange={(changed) => onChange(withField(present ?? {}, inner.name, changed))}
          />
        ))
      ) : (
        <div>
          <Button small icon="plus" onClick={() => onChange({})}>
            {words.addField(field.name)}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** A list within the parameters. An optional one is absent until it has an item. */
function ListEditor({ field, path, value, faults, onChange }: EditorProps<'list'>) {
  const words = useText(formText);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const without = (at: number) => {
    const rest = items.filter((_, index) => index !== at);
    onChange(rest.length === 0 && !field.isRequired ? undefined : rest);
  };
  return (
    <fieldset className="group">
      <legend>
        <FieldName field={field} />
        {field.isRequired && <span className="required"> *</span>}
      </legend>
      <p className="help faint">
        <FieldHelp field={field} />
      </p>
      {faults.has(path) && <p className="fault">{faults.get(path)}</p>}
      {items.map((item, at) => {
        const name = words.item(field.name, at + 1);
        return (
          // Items have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <div className="line top" key={at}>
            <div className="grow">
              <FieldEditor
                field={{ ...field.item, name }}
                path={`${path}.${at}`}
                value={item}
                faults={faults}
                onChange={(changed) => onChange(items.with(at, changed ?? emptyOf(field.item)))}
              />
            </div>
            <IconButton small icon="close" label={words.remove(name)} onClick={() => without(at)} />
          </div>
        );
      })}
      <div>
        <Button small icon="plus" onClick={() => onChange([...items, emptyOf(field.item)])}>
          {words.addField(field.name)}
        </Button>
      </div>
    </fieldset>
  );
}

/** What a new item begins as. */
function emptyOf(item: FormField): unknown {
  if (item.kind === 'object') return {};
  if (item.kind === 'list') return [];
  if (item.kind === 'choice') return item.choices[0];
  return item.kind === 'boolean' ? false : '';
}
