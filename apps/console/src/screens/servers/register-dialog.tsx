import { useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field, Select, TextArea, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { Notice } from '../../components/notice.js';
import { api } from '../../data/api.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { RejectedDefinitions } from './rejected-definitions.js';
import { serversText } from './text.js';

type Registered = Awaited<ReturnType<typeof api.registerServer>>;

/** A database that is approved again: its login is given again, for nobody is shown it. */
export interface ApprovedDatabase {
  readonly name: string;
  readonly queries: readonly object[];
  readonly isForAll: boolean;
}

export function RegisterDialog({ database, onClose }: { readonly database?: ApprovedDatabase; readonly onClose: () => void }) {
  const words = useText(serversText);
  const { form, set, isChanged } = useForm(() => ({
    name: database?.name ?? '',
    kind: database ? 'sql' : 'auto',
    url: '',
    headers: '',
    tools: '',
    queries: database ? JSON.stringify(database.queries, null, 2) : '',
  }));
  const [registered, setRegistered] = useState<Registered | null>(null);
  const register = async () => {
    setRegistered(await api.registerServer({ ...bodyOf(form), ...(database?.isForAll && { tenants: '*' }) }));
    await Promise.all([queries.invalidateQueries({ queryKey: ['servers'] }), queries.invalidateQueries({ queryKey: ['tools'] })]);
  };
  const input = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [name]: event.target.value }),
  });
  if (registered) {
    return (
      <Dialog title={words.register} onClose={onClose}>
        <Notice tone="good">{words.registered(registered.name, registered.registered.tools.length)}</Notice>
        {registered.registered.warnings?.map((warning) => (
          <Notice key={warning} tone="warn">
            {warning}
          </Notice>
        ))}
        <RejectedDefinitions rejected={registered.registered.rejected} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={words.register}
      action={words.connect}
      icon="servers"
      isChanged={isChanged}
      save={form.name === '' || form.url === '' || (form.kind === 'sql' && form.queries === '') ? null : register}
      staysOpen
      onClose={onClose}
    >
      {(faults) => (
        <>
          <Field label={words.name} help={words.nameHelp} isRequired fault={faults.get('name')}>
            {(control) => <TextInput {...control} {...input('name')} maxLength={24} />}
          </Field>
          <Field label={words.kind} fault={faults.get('kind')}>
            {(control) => (
              <Select {...control} value={form.kind} onChange={(event) => set({ kind: event.target.value })}>
                <option value="auto">{words.kindServer}</option>
                <option value="sql">{words.kindDatabase}</option>
              </Select>
            )}
          </Field>
          {form.kind === 'sql' ? (
            <>
              <Field label={words.url} help={words.databaseHelp} isRequired fault={faults.get('url')}>
                {(control) => <TextInput {...control} {...input('url')} placeholder="postgres://user:password@host:5432/database" />}
              </Field>
              <Field label={words.queries} help={words.queriesHelp} isRequired fault={faults.get('queries')}>
                {(control) => <TextArea {...control} {...input('queries')} className="input mono" rows={8} placeholder={exampleQueries} />}
              </Field>
            </>
          ) : (
            <>
              <Field label={words.url} isRequired fault={faults.get('url')}>
                {(control) => <TextInput {...control} {...input('url')} type="url" placeholder="https://" />}
              </Field>
              <Field label={words.headers} help={words.headersHelp} fault={faults.get('headers')}>
                {(control) => <TextArea {...control} {...input('headers')} className="input mono" rows={2} />}
              </Field>
            </>
          )}
          <Field label={words.only} help={words.onlyHelp} fault={faults.get('tools')}>
            {(control) => <TextInput {...control} {...input('tools')} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

const exampleQueries = '[{ "name": "orders_of", "description": "…", "sql": "SELECT id FROM orders WHERE customer = :customer" }]';

function bodyOf({
  name,
  kind,
  url,
  headers,
  tools,
  queries,
}: Readonly<Record<'name' | 'kind' | 'url' | 'headers' | 'tools' | 'queries', string>>) {
  const pairs = headers
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const);
  const only = tools
    .split(/[,，]/)
    .map((tool) => tool.trim())
    .filter(Boolean);
  const wanted = only.length > 0 && { tools: only };
  // As a text it is refused by the gateway, which says at the field what is wrong.
  if (kind === 'sql') return { name, kind, url, queries: jsonIn(queries), ...wanted };
  return { name, url, ...(pairs.length > 0 && { headers: Object.fromEntries(pairs) }), ...wanted };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
