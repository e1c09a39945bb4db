import type { NewProvider, Provider } from '#lib/client';
import { Field, Segments, Select, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { NameField } from '../../components/name-field.js';
import { Notice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { accountsChanged } from '../../data/accounts.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { bodyOf, formFrom, newForm, presets, providerKinds, type ProviderForm } from './form.js';
import { providersText } from './text.js';

interface ProviderDialogProps {
  /** Null for a new one. */
  readonly provider: Provider | null;
  readonly others: readonly Provider[];
  readonly onClose: () => void;
}

type TextName = Exclude<keyof ProviderForm, 'kind' | 'preset'>;

/** What a kind has beside name, title and where users come back to: fields, with the paths of the gateway's faults. */
const fields: Readonly<Record<ProviderForm['kind'], readonly (readonly [TextName, string])[]>> = {
  preset: [],
  issuer: [['issuer', 'issuer']],
  resource: [['resource', 'resource']],
  endpoints: [
    ['authorization', 'authorization_endpoint'],
    ['token', 'token_endpoint'],
    ['revocation', 'revocation_endpoint'],
  ],
  api_key: [
    ['header', 'api_key.header'],
    ['instructions', 'api_key.instructions'],
  ],
};

const clientFields = [
  ['clientId', 'client_id'],
  ['clientSecret', 'client_secret'],
  ['scopes', 'scopes'],
] as const;

export function ProviderDialog({ provider, others, onClose }: ProviderDialogProps) {
  const words = useText(providersText);
  const common = useText(shared);
  const { form, set, isChanged } = useForm(() => (provider ? formFrom(provider) : newForm));
  const body = bodyOf(form, provider?.given);
  const save = async (kept: NewProvider) => {
    await invoq.providers.put(form.name, kept);
    await accountsChanged();
  };
  const text = (name: TextName, fault: string | undefined) => (
    <Field key={name} label={words.fields[name]} help={words.helps[name]} fault={fault}>
      {(control) => (
        <TextInput
          {...control}
          {...(name === 'clientSecret' && { type: 'password', autoComplete: 'new-password' })}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={provider ? common.editNamed(provider.name) : words.create}
      action={provider ? common.save : words.createNow}
      isWide
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {provider?.has_client_secret && <Notice tone="warn">{words.secretAgain}</Notice>}
          {!provider && (
            <NameField label={words.name} value={form.name} fault={faults.get('name')} others={others} onChange={(name) => set({ name })} />
          )}
          <div>
            <Segments
              label={words.kind}
              value={form.kind}
              choices={providerKinds.map((kind) => [kind, words.kinds[kind]] as const)}
              onChoose={(kind) => set({ kind })}
            />
          </div>
          <div className="columns two">
            {form.kind === 'preset' && (
              <Field label={words.preset} fault={faults.get('preset')}>
                {(control) => (
                  <Select
                    {...control}
                    value={form.preset}
                    onChange={(event) => set({ preset: presets.find((one) => one === event.target.value) ?? 'github' })}
                  >
                    {presets.map((preset) => (
                      <option key={preset}>{preset}</option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
            {[...fields[form.kind], ...(form.kind === 'api_key' ? [] : clientFields)].map(([name, path]) => text(name, faults.get(path)))}
            {text('title', faults.get('title'))}
            {text('origins', faults.get('return_origins'))}
          </div>
        </>
      )}
    </FormDialog>
  );
}
