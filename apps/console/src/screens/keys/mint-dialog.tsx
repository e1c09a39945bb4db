import { useState } from 'react';
import type { Scope, Tier } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { Checkbox, Field, Segments, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { Notice } from '../../components/notice.js';
import { SecretOnce } from '../../components/secret-once.js';
import { invoq } from '../../data/gateway.js';
import { queries } from '../../data/queries.js';
import { useSession } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { Refusals } from './refusals.js';
import { keysText } from './text.js';

const tiers: readonly Tier[] = ['free', 'pro', 'vip'];
const scopeNames: readonly Scope[] = [
  'tools:read',
  'tools:write',
  'stripe:links',
  'tools:serve',
  'schedules',
  'approvals',
  'webhooks',
  'profile:read:any',
  'merchant:any',
  'act-as',
  'tenant:admin',
  'admin',
  '*',
];

/** What has to be typed before a key may do everything. */
const everything = 'everything';

interface MintForm {
  readonly name: string;
  readonly tenant: string;
  readonly user: string;
  readonly expires: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** What was typed against a key that may do everything. */
  readonly typed: string;
}

/** Makes a key, and shows it this once. */
export function MintDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useText(keysText);
  const { data: session } = useSession();
  const { form, set, isChanged } = useForm<MintForm>(() => ({
    name: '',
    tenant: session?.tenant_id ?? '',
    user: '',
    expires: '',
    tier: 'pro',
    scopes: ['tools:read', 'tools:write'],
    typed: '',
  }));
  const [secret, setSecret] = useState<string | null>(null);
  const { tenant, tier, scopes } = form;
  const mayAll = scopes.includes('*');
  const mint = async () => {
    const { key } = await invoq.createApiKey({
      tenant_id: tenant,
      tier,
      scopes,
      ...(form.name !== '' && { name: form.name }),
      ...(form.user !== '' && { user_id: form.user }),
      ...(form.expires !== '' && { expires_at: new Date(form.expires).toISOString() }),
    });
    setSecret(key);
    await queries.invalidateQueries({ queryKey: ['keys'] });
  };
  const toggle = (scope: Scope) => set({ scopes: scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope] });
  const input = (name: 'name' | 'tenant' | 'user' | 'expires') => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [name]: event.target.value }),
  });
  if (secret !== null) {
    return (
      <Dialog title={words.minted} onClose={onClose}>
        <Minted secret={secret} onClose={onClose} />
      </Dialog>
    );
  }
  const isWhole = scopes.length > 0 && tenant !== '' && (!mayAll || form.typed.trim() === everything);
  return (
    <FormDialog
      title={words.mintTitle}
      action={words.mintNow}
      icon="keys"
      isWide
      isChanged={isChanged}
      save={isWhole ? mint : null}
      staysOpen
      onClose={onClose}
    >
      {(faults) => (
        <>
          <div className="columns two">
            <Field label={words.name} fault={faults.get('name')}>
              {(control) => <TextInput {...control} {...input('name')} maxLength={80} />}
            </Field>
            <Field label={words.expires} fault={faults.get('expires_at')}>
              {(control) => <TextInput {...control} {...input('expires')} type="datetime-local" />}
            </Field>
            <Field label={words.tenant} isRequired fault={faults.get('tenant_id')}>
              {(control) => <TextInput {...control} {...input('tenant')} />}
            </Field>
            <Field label={words.user} help={words.userHelp} fault={faults.get('user_id')}>
              {(control) => <TextInput {...control} {...input('user')} />}
            </Field>
          </div>
          <div>
            <Segments
              label={words.tier}
              value={tier}
              choices={tiers.map((one) => [one, one] as const)}
              onChoose={(chosen) => set({ tier: chosen })}
            />
          </div>
          <fieldset className="scope-list">
            <legend>
              <h3>{words.scopes}</h3>
            </legend>
            {scopeNames.map((scope) => (
              <Checkbox
                key={scope}
                checked={scopes.includes(scope)}
                onChange={() => toggle(scope)}
                label={
                  <>
                    <code>{scope}</code> <span className="soft">{words.scopeMeanings[scope]}</span>
                  </>
                }
              />
            ))}
          </fieldset>
          {mayAll && (
            <Field label={words.typeWord(everything)} help={words.mayAllHelp} isRequired>
              {(control) => <TextInput {...control} value={form.typed} onChange={(event) => set({ typed: event.target.value })} />}
            </Field>
          )}
          <Refusals scopes={scopes} />
        </>
      )}
    </FormDialog>
  );
}

function Minted({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const words = useText(keysText);
  return (
    <>
      <Notice tone="warn">{words.mintedHelp}</Notice>
      <SecretOnce secret={secret} />
      <h3>{words.firstCall}</h3>
      <CodeBlock
        label={words.firstCall}
        text={`INVOQ_API_KEY=${secret}\ncurl -s ${location.origin}/tools/calc_metrics -H "Authorization: Bearer $INVOQ_API_KEY" -H 'Content-Type: application/json' \\\n  -d '{"height_cm":175,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}'`}
      />
      <div>
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </div>
    </>
  );
}
