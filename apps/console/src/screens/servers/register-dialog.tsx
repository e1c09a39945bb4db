import { useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field, TextArea, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { Notice } from '../../components/notice.js';
import { api } from '../../data/api.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { RejectedDefinitions } from './rejected-definitions.js';
import { serversText } from './text.js';

type Registered = Awaited<ReturnType<typeof api.registerServer>>;

export function RegisterDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useText(serversText);
  const { form, set, isChanged } = useForm(() => ({ name: '', url: '', headers: '', tools: '' }));
  const [registered, setRegistered] = useState<Registered | null>(null);
  const register = async () => {
    setRegistered(await api.registerServer(bodyOf(form)));
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
      save={form.name === '' || form.url === '' ? null : register}
      staysOpen
      onClose={onClose}
    >
      {(faults) => (
        <>
          <Field label={words.name} help={words.nameHelp} isRequired fault={faults.get('name')}>
            {(control) => <TextInput {...control} {...input('name')} maxLength={24} />}
          </Field>
          <Field label={words.url} isRequired fault={faults.get('url')}>
            {(control) => <TextInput {...control} {...input('url')} type="url" placeholder="https://" />}
          </Field>
          <Field label={words.headers} help={words.headersHelp} fault={faults.get('headers')}>
            {(control) => <TextArea {...control} {...input('headers')} className="input mono" rows={2} />}
          </Field>
          <Field label={words.only} help={words.onlyHelp} fault={faults.get('tools')}>
            {(control) => <TextInput {...control} {...input('tools')} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function bodyOf({ name, url, headers, tools }: Readonly<Record<'name' | 'url' | 'headers' | 'tools', string>>) {
  const pairs = headers
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const);
  const only = tools
    .split(/[,，]/)
    .map((tool) => tool.trim())
    .filter(Boolean);
  return { name, url, ...(pairs.length > 0 && { headers: Object.fromEntries(pairs) }), ...(only.length > 0 && { tools: only }) };
}
