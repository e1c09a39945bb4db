import type { NewPause, Pause } from '#lib/client';
import { Checkbox, Field, Segments, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { NameField } from '../../components/name-field.js';
import { Notice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { ToolField } from '../../components/tool-field.js';
import { invoq } from '../../data/gateway.js';
import { pausesChanged } from '../../data/pauses.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { pausesText } from './text.js';

const kinds = ['tool', 'domain', 'tenant'] as const;

interface PauseForm {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly tool: string;
  readonly domain: string;
  readonly tenant: string;
  readonly reason: string;
  readonly refuse: boolean;
}

interface PauseDialogProps {
  /** Null for a new one. */
  readonly pause: Pause | null;
  readonly others: readonly Pause[];
  readonly onClose: () => void;
}

/** Pauses a tool, a domain or a tenant, and says what that will cause. */
export function PauseDialog({ pause, others, onClose }: PauseDialogProps) {
  const words = useText(pausesText);
  const common = useText(shared);
  const isAdmin = useScope('admin');
  const { form, set, isChanged } = useForm(() => formOf(pause));
  const body = bodyOf(form);
  const save = async (kept: NewPause) => {
    await invoq.pauses.put(form.name, kept);
    await pausesChanged();
  };
  const offered = kinds.filter((kind) => kind !== 'tenant' || isAdmin);
  return (
    <FormDialog
      title={pause ? common.editNamed(pause.name) : words.create}
      action={pause ? common.save : words.pauseNow(form.kind === 'tenant' ? form.tenant : form[form.kind])}
      icon="pause"
      isChanged={isChanged}
      save={body && (() => save(body))}
      done={words.saved(form.name)}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {!pause && (
            <NameField label={words.name} value={form.name} fault={faults.get('name')} others={others} onChange={(name) => set({ name })} />
          )}
          <div>
            <Segments
              label={words.what}
              value={form.kind}
              choices={offered.map((kind) => [kind, words[kind]] as const)}
              onChoose={(kind) => set({ kind })}
            />
          </div>
          {form.kind === 'tool' && (
            <ToolField label={words.tool} isRequired value={form.tool} fault={faults.get('tool')} onChange={(tool) => set({ tool })} />
          )}
          {form.kind === 'domain' && (
            <Field label={words.domain} help={words.domainHelp} isRequired fault={faults.get('domain')}>
              {(control) => <TextInput {...control} value={form.domain} onChange={(event) => set({ domain: event.target.value.trim() })} />}
            </Field>
          )}
          {isAdmin && (
            <Field
              label={words.tenant}
              help={form.kind === 'tenant' ? undefined : words.tenantHelp}
              isRequired={form.kind === 'tenant'}
              fault={faults.get('tenant')}
            >
              {(control) => <TextInput {...control} value={form.tenant} onChange={(event) => set({ tenant: event.target.value.trim() })} />}
            </Field>
          )}
          <Field label={words.reason} help={words.reasonHelp} isRequired fault={faults.get('reason')}>
            {(control) => (
              <TextInput {...control} maxLength={500} value={form.reason} onChange={(event) => set({ reason: event.target.value })} />
            )}
          </Field>
          <Checkbox label={words.refuse} checked={form.refuse} onChange={(event) => set({ refuse: event.target.checked })} />
          <Notice tone="warn">{form.refuse ? words.willRefuse : words.willHold}</Notice>
        </>
      )}
    </FormDialog>
  );
}

function formOf(pause: Pause | null): PauseForm {
  const { name = '', tool, domain, tenant, reason = '', refuse = false } = pause ?? {};
  const kind = domain ? 'domain' : tool || !tenant ? 'tool' : 'tenant';
  return { name, kind, tool: tool ?? '', domain: domain ?? '', tenant: tenant ?? '', reason, refuse };
}

/** Null while something is missing that the gateway would only refuse. */
function bodyOf({ name, kind, tool, domain, tenant, reason, refuse }: PauseForm): NewPause | null {
  if (name === '' || reason.trim() === '' || { tool, domain, tenant }[kind] === '') return null;
  return {
    ...(kind === 'tool' && { tool }),
    ...(kind === 'domain' && { domain }),
    ...(tenant !== '' && { tenant }),
    reason: reason.trim(),
    refuse,
  };
}
