import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { InvoqError, type NewApiKey } from '#lib/client';
import type { Scope, Tier } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { Checkbox, Field, Segments, TextInput } from '../../components/field.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
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

/** Makes a key, and shows it this once. */
export function MintDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useText(keysText);
  const mint = useMutation({
    mutationFn: (key: NewApiKey) => invoq.createApiKey(key),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
    // The key is in the answer: it is forgotten with the dialog.
    gcTime: 0,
  });
  return (
    <Dialog title={mint.data ? words.minted : words.mintTitle} onClose={onClose}>
      {mint.data ? (
        <Minted secret={mint.data.key} onClose={onClose} />
      ) : (
        <MintForm onMint={mint.mutate} isPending={mint.isPending} error={mint.error} />
      )}
    </Dialog>
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

interface MintFormProps {
  readonly onMint: (key: NewApiKey) => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

function MintForm({ onMint, isPending, error }: MintFormProps) {
  const words = useText(keysText);
  const { data: session } = useSession();
  const [form, setForm] = useState({ name: '', tenant_id: session?.tenant_id ?? '', user_id: '', expires: '' });
  const [tier, setTier] = useState<Tier>('pro');
  const [scopes, setScopes] = useState<readonly Scope[]>(['tools:read', 'tools:write']);
  const details = error instanceof InvoqError ? error.details : [];
  const faultOf = (path: string) => details.find((detail) => detail.path === path)?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onMint({
      tenant_id: form.tenant_id,
      tier,
      scopes,
      ...(form.name !== '' && { name: form.name }),
      ...(form.user_id !== '' && { user_id: form.user_id }),
      ...(form.expires !== '' && { expires_at: new Date(form.expires).toISOString() }),
    });
  };
  const toggle = (scope: Scope) => setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const input = (name: keyof typeof form, type = 'text') => ({
    type,
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form className="stack" onSubmit={submit}>
      <div className="columns two">
        <Field label={words.name} fault={faultOf('name')}>
          {(control) => <TextInput {...control} {...input('name')} maxLength={80} />}
        </Field>
        <Field label={words.expires} fault={faultOf('expires_at')}>
          {(control) => <TextInput {...control} {...input('expires', 'datetime-local')} />}
        </Field>
        <Field label={words.tenant} isRequired fault={faultOf('tenant_id')}>
          {(control) => <TextInput {...control} {...input('tenant_id')} required />}
        </Field>
        <Field label={words.user} help={words.userHelp} fault={faultOf('user_id')}>
          {(control) => <TextInput {...control} {...input('user_id')} />}
        </Field>
      </div>
      <Segments label={words.tier} value={tier} choices={tiers.map((one) => [one, one] as const)} onChoose={setTier} />
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
      <Refusals scopes={scopes} />
      {error !== null && details.length === 0 && <ErrorNotice error={error} />}
      <div>
        <Button type="submit" look="primary" icon="keys" disabled={isPending || scopes.length === 0 || form.tenant_id === ''}>
          {words.mintNow}
        </Button>
      </div>
    </form>
  );
}
