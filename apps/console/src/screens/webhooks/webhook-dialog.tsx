import { useState } from 'react';
import type { Webhook, WebhookEventType } from '#lib/client';
import { Checkbox, Field, TextArea, TextInput } from '../../components/field.js';
import { FormDialog, useForm } from '../../components/form-dialog.js';
import { shared } from '../../components/text.js';
import { invoq } from '../../data/gateway.js';
import { webhooksChanged } from '../../data/webhooks.js';
import { useText } from '../../language/use-text.js';
import { SecretDialog } from './secret-dialog.js';
import { webhookEventTypes, webhooksText } from './text.js';

interface WebhookForm {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly filter: string;
}

interface WebhookDialogProps {
  /** Null for a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}

/** Makes a webhook, and shows its secret this once; or changes one. */
export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const words = useText(webhooksText);
  const common = useText(shared);
  const { form, set, isChanged } = useForm((): WebhookForm => formOf(webhook));
  /** It is forgotten with the dialog. */
  const [secret, setSecret] = useState<string | null>(null);
  const save = async () => {
    const { url, events } = form;
    const filter = form.filter.trim();
    if (webhook) await invoq.webhooks.change(webhook.id, { url, events, filter: filter === '' ? null : filter });
    else setSecret((await invoq.webhooks.create({ url, events, ...(filter !== '' && { filter }) })).secret);
    await webhooksChanged();
  };
  const toggle = (event: WebhookEventType) =>
    set({ events: form.events.includes(event) ? form.events.filter((one) => one !== event) : [...form.events, event] });
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={webhook ? words.editTitle : words.create}
      action={webhook ? common.save : words.createNow}
      isChanged={isChanged}
      save={form.url === '' || form.events.length === 0 ? null : save}
      done={words.saved}
      staysOpen={webhook === null}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <Field label={words.url} help={words.urlHelp} isRequired fault={faults.get('url')}>
            {(control) => (
              <TextInput
                {...control}
                inputMode="url"
                placeholder="https://"
                value={form.url}
                onChange={(event) => set({ url: event.target.value })}
              />
            )}
          </Field>
          <fieldset className="scope-list">
            <legend>
              <h3>{words.events}</h3>
            </legend>
            {webhookEventTypes.map((event) => (
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
                onChange={(event) => set({ filter: event.target.value })}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function formOf(webhook: Webhook | null): WebhookForm {
  return webhook
    ? { url: webhook.url, events: webhook.events, filter: webhook.filter ?? '' }
    : { url: '', events: ['call.failed'], filter: '' };
}
