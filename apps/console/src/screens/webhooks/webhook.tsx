import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { BackLink, DetailScreen } from '../../components/detail-screen.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Facts } from '../../components/stats.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { webhooksChanged, webhooksKey } from '../../data/webhooks.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { useText } from '../../language/use-text.js';
import { Deliveries } from './deliveries.js';
import { SecretDialog } from './secret-dialog.js';
import { webhooksText } from './text.js';
import { WebhookDialog } from './webhook-dialog.js';
import { WebhookState } from './webhook-state.js';
import { WebhookTrouble } from './webhook-trouble.js';
import { TestButton } from './test-button.js';

const route = getRouteApi('/webhooks/$id');
const everyMs = 10_000;

/** One webhook with its deliveries. */
export function WebhookScreen() {
  const words = useText(webhooksText);
  const { id } = route.useParams();
  const webhook = useQuery({
    queryKey: [webhooksKey, 'one', id],
    queryFn: ({ signal }) => invoq.webhooks.get(id, { signal }),
    refetchInterval: useWhileTouched(everyMs),
  });
  return (
    <ScopeOnly scope="webhooks">
      <DetailScreen title={words.title} back={<BackLink to="/webhooks" label={words.back} />} query={webhook}>
        {(data) => <Whole webhook={data} />}
      </DetailScreen>
    </ScopeOnly>
  );
}

type Opened = 'edit' | 'rotate' | 'disable' | 'delete' | { readonly secret: string } | null;

function Whole({ webhook }: { readonly webhook: Webhook }) {
  const words = useText(webhooksText);
  const common = useText(shared);
  const [open, setOpen] = useState<Opened>(null);
  const { id, url, enabled } = webhook;
  const actions = (
    <>
      {enabled && <TestButton id={id} />}
      <Button icon="edit" onClick={() => setOpen('edit')}>
        {common.edit}
      </Button>
      <Button icon="keys" onClick={() => setOpen('rotate')}>
        {words.rotate}
      </Button>
      {enabled && (
        <Button look="danger" icon="pause" onClick={() => setOpen('disable')}>
          {words.disable}
        </Button>
      )}
      <Button look="danger" icon="trash" onClick={() => setOpen('delete')}>
        {common.delete}
      </Button>
    </>
  );
  return (
    <Screen
      title={new URL(url).host}
      lead={<BackLink to="/webhooks" label={words.back} />}
      aside={<WebhookState webhook={webhook} />}
      actions={actions}
    >
      <WebhookTrouble webhook={webhook} />
      <About webhook={webhook} />
      <Deliveries id={id} />
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setOpen(null)} />}
      {open !== null && typeof open === 'object' && <SecretDialog secret={open.secret} onClose={() => setOpen(null)} />}
      {(open === 'rotate' || open === 'disable' || open === 'delete') && (
        <Dangers webhook={webhook} which={open} onNext={setOpen} onClose={() => setOpen((now) => (now === open ? null : now))} />
      )}
    </Screen>
  );
}

interface DangersProps {
  readonly webhook: Webhook;
  readonly which: 'rotate' | 'disable' | 'delete';
  /** What is shown in the place of the question. */
  readonly onNext: (open: Opened) => void;
  readonly onClose: () => void;
}

function Dangers({ webhook: { id, url }, which, onNext, onClose }: DangersProps) {
  const words = useText(webhooksText);
  const common = useText(shared);
  const navigate = useNavigate();
  const rotate = async () => {
    const { secret } = await invoq.webhooks.rotate(id);
    await webhooksChanged();
    onNext({ secret });
  };
  const disable = async () => {
    await invoq.webhooks.change(id, { enabled: false });
    await webhooksChanged();
  };
  const remove = async () => {
    await invoq.webhooks.delete(id);
    await navigate({ to: '/webhooks' });
    await webhooksChanged();
  };
  const all = {
    rotate: { action: words.rotate, icon: 'keys', run: rotate, help: words.rotateHelp, done: words.made },
    disable: { action: words.disableTitle, icon: 'pause', run: disable, help: words.disableHelp, done: words.disabledNow },
    delete: { action: words.delete, icon: 'trash', run: remove, help: words.deleteHelp, done: words.deleted },
  } as const;
  const { action, icon, run, help, done } = all[which];
  return (
    <Confirm action={action} icon={icon} run={run} done={done} onClose={onClose}>
      <p className="told">
        <code>{url}</code>
      </p>
      <p>{help}</p>
      {which === 'delete' && <p className="soft">{common.neverUndone}</p>}
    </Confirm>
  );
}

function About({ webhook }: { readonly webhook: Webhook }) {
  const words = useText(webhooksText);
  const { url, events, filter, approves, created_by, created_at, previous_secret_until: previous } = webhook;
  return (
    <Panel title={words.about}>
      <Facts
        facts={[
          [words.url, <code key="url">{url}</code>],
          [
            words.events,
            <span key="events" className="line wrap">
              {events.map((event) => (
                <Badge key={event} code>
                  {event}
                </Badge>
              ))}
            </span>,
          ],
          [words.filter, filter === null ? words.noFilter : <code key="filter">{filter}</code>],
          ...(approves ? [[words.approves, words.approvesHelp] as const] : []),
          ...(previous === null ? [] : [[words.previous, <Ago key="previous" at={previous} />] as const]),
          [words.by, created_by],
          [words.created, <Ago key="created" at={created_at} />],
        ]}
      />
    </Panel>
  );
}
