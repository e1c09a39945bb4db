import { useId } from 'react';
import { Field, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { useProviders } from '../../data/accounts.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { connectionsText } from './text.js';

/** Begins to connect an account: this page goes to its provider, which sends it back. @param provider what it begins with; empty for none */
export function ConnectDialog({ provider, onClose }: { readonly provider: string; readonly onClose: () => void }) {
  const words = useText(connectionsText);
  const list = useId();
  const { data: providers = [] } = useProviders();
  const { form, set } = useForm(() => ({ provider }));
  const connect = async () => {
    const { url } = await invoq.connections.create({ provider: form.provider, return_to: `${location.origin}/console/connections` });
    location.assign(url);
  };
  return (
    <FormDialog
      title={words.connect}
      action={words.connectAt(form.provider)}
      icon="external"
      isChanged={false}
      save={form.provider === '' ? null : connect}
      onClose={onClose}
    >
      {(faults) => (
        <Field label={words.provider} help={words.connectHelp} isRequired fault={faults.get('provider')}>
          {(control) => (
            <>
              <TextInput
                {...control}
                list={list}
                value={form.provider}
                onChange={(event) => set({ provider: event.target.value.trim() })}
              />
              <datalist id={list}>
                {providers.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
      )}
    </FormDialog>
  );
}
