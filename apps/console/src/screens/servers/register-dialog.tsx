import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { InvoqError } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Field, TextArea, TextInput } from '../../components/field.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { api } from '../../data/api.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { RejectedDefinitions } from './rejected-definitions.js';
import { serversText } from './text.js';

export function RegisterDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useText(serversText);
  const [form, setForm] = useState({ name: '', url: '', headers: '', tools: '' });
  const register = useMutation({
    mutationFn: () => api.registerServer(bodyOf(form)),
    onSuccess: () =>
      Promise.all([queries.invalidateQueries({ queryKey: ['servers'] }), queries.invalidateQueries({ queryKey: ['tools'] })]),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate();
  };
  const details = register.error instanceof InvoqError ? register.error.details : [];
  const faultOf = (path: string) => details.find((detail) => detail.path === path)?.message;
  const input = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <Dialog title={words.register} isUnsaved={!register.isSuccess && Object.values(form).some((text) => text !== '')} onClose={onClose}>
      {register.data ? (
        <>
          <Notice tone="good">{words.registered(register.data.name, register.data.registered.tools.length)}</Notice>
          <RejectedDefinitions rejected={register.data.registered.rejected} />
        </>
      ) : (
        <form className="stack" onSubmit={submit}>
          <Field label={words.name} help={words.nameHelp} isRequired fault={faultOf('name')}>
            {(control) => <TextInput {...control} {...input('name')} required maxLength={24} />}
          </Field>
          <Field label={words.url} isRequired fault={faultOf('url')}>
            {(control) => <TextInput {...control} {...input('url')} required type="url" placeholder="https://" />}
          </Field>
          <Field label={words.headers} help={words.headersHelp} fault={faultOf('headers')}>
            {(control) => <TextArea {...control} {...input('headers')} className="input mono" rows={2} />}
          </Field>
          <Field label={words.only} help={words.onlyHelp} fault={faultOf('tools')}>
            {(control) => <TextInput {...control} {...input('tools')} />}
          </Field>
          {register.error && details.length === 0 && <ErrorNotice error={register.error} />}
          <div>
            <Button type="submit" look="primary" disabled={register.isPending}>
              {register.isPending ? words.connecting : words.connect}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
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
