import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import type { Webhook, WebhookEventType } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { faultsOf } from '../../components/faults.js';
import { Checkbox, Field, TextArea, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { webhooksChanged } from '../../data/webhooks.js';
import { useText } from '../../language/use-text.js';
import { SecretDialog } from './secret-dialog.js';
import { webhooksText } from './text.js';

interface WebhookForm {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly filter: string;
}

/** Makes a webhook, and shows its secret this once; or changes one. @param webhook null for a new one */
export function WebhookDialog({ webhook, onClose }: { readonly webhook: Webhook | null; readonly onClose: () => void }) {
  const save = useMutation({
    mutationFn: async ({ url, events, filter }: WebhookForm): Promise<string | null> => {
      if (webhook) {
        await invoq.webhooks.change(webhook.id, { url, events, filter: filter === '' ? null : filter });
        return null;
      }
      return (await invoq.webhooks.create({ url, events, ...(filter !== '' && { filter }) })).secret;
    },
    onSuccess: async (secret) => {
      if (secret === null) onClose();
      await webhooksChanged();
    },
    // The secret is in the answer: it is forgotten with the dialog.
    gcTime: 0,
  });
  if (save.data) return <SecretDialog secret={save.data} onClose={onClose} />;
  return <WebhookFormDialog webhook={webhook} save={save} onClose={onClose} />;
}

interface WebhookFormDialogProps {
  readonly webhook: Webhook | null;
  readonly save: {
    readonly mutate: (form: WebhookForm, options: { readonly onSuccess: () => void }) => void;
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: unknown;
  };
  readonly onClose: () => void;
}

function WebhookFormDialog({ webhook, save, onClose }: WebhookFormDialogProps) {
  const words = useText(webhooksText);
  const common = useText(shared);
  const formId = useId();
  const first: WebhookForm = webhook
    ? { url: webhook.url, events: webhook.events, filter: webhook.filter ?? '' }
    : { url: '', events: ['call.failed'], filter: '' };
  const [form, setForm] = useState(first);
  const faults = faultsOf(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ ...form, filter: form.filter.trim() }, { onSuccess: () => toast(words.saved) });
  };
  const toggle = (event: WebhookEventType) =>
    setForm({ ...form, events: form.events.includes(event) ? form.events.filter((one) => one !== event) : [...form.events, event] });
  return (
    <Dialog
      title={webhook ? words.editTitle : words.create}
      isUnsaved={JSON.stringify(form) !== JSON.stringify(first) && !save.isSuccess}
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form={formId}
          look="primary"
          icon="check"
          disabled={save.isPending || form.url === '' || form.events.length === 0}
        >
          {webhook ? common.save : words.createNow}
        </Button>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        <Field label={words.url} help={words.urlHelp} isRequired fault={faults.get('url')}>
          {(control) => (
            <TextInput
              {...control}
              inputMode="url"
              placeholder="https://"
              value={form.url}
              onChange={(event) => setForm({ ...form, url: event.target.value })}
            />
          )}
        </Field>
        <fieldset className="scope-list">
          <legend>
            <h3>{words.events}</h3>
          </legend>
          {eventTypes.map((event) => (
            <Checkbox
              key={event}
              checked={form.events.includes(event)}
              onChange={() => toggle(event)}
              label={
                <>
                  <code>{event}</code> <span className="soft">{words.eventMeanings[event]}</span>
                </>
              }
            />
          ))}
          {faults.has('events') && <p className="fault">{faults.get('events')}</p>}
        </fieldset>
        <Field label={words.filter} help={words.filterHelp} fault={faults.get('filter')}>
          {(control) => (
            <TextArea
              {...control}
              className="input mono"
              rows={2}
              placeholder={'data.tool_name == "get_weather"'}
              value={form.filter}
              onChange={(event) => setForm({ ...form, filter: event.target.value })}
            />
          )}
        </Field>
        {save.error !== null && faults.size === 0 && <ErrorNotice error={save.error} />}
      </form>
    </Dialog>
  );
}

const eventTypes: readonly WebhookEventType[] = [
  'call.completed',
  'call.failed',
  'call.cancelled',
  'call.resting',
  'input.requested',
  'input.decided',
  'batch.completed',
  'budget.warning',
  'budget.exceeded',
  'schedule.missed',
  'webhook.disabled',
];
