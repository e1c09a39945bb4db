import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { ApiLines } from '../../components/api-lines.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { webhooksKey } from '../../data/webhooks.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';
import { WebhookDialog } from './webhook-dialog.js';
import { WebhookState } from './webhook-state.js';

/** Addresses that are told of what becomes of the tenant's calls. */
export function Webhooks() {
  return (
    <ScopeOnly scope="webhooks">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(webhooksText);
  const [isMaking, setIsMaking] = useState(false);
  const webhooks = useQuery({ queryKey: [webhooksKey, 'list'], queryFn: ({ signal }) => invoq.webhooks.list({ signal }) });
  const create = (
    <Button look="primary" icon="plus" onClick={() => setIsMaking(true)}>
      {words.create}
    </Button>
  );
  return (
    <Screen title={words.title} actions={create}>
      <Panel padded={false} title={words.list}>
        <Loaded query={webhooks} lines={5}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="webhooks" title={words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={['npx invoq webhooks create https://example.com/invoq --event call.failed --event input.requested']} />
              </EmptyState>
            ) : (
              <Table isStacked columns={[words.url, words.events, words.filter, words.state, words.created]}>
                {list.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Panel>
      {isMaking && <WebhookDialog webhook={null} onClose={() => setIsMaking(false)} />}
    </Screen>
  );
}

function Row({ webhook }: { readonly webhook: Webhook }) {
  const words = useText(webhooksText);
  const { id, url, events, filter, created_at } = webhook;
  return (
    <tr>
      <td className="told">
        <Link to="/webhooks/$id" params={{ id }}>
          {url}
        </Link>
      </td>
      <td>
        <span className="line wrap">
          {events.map((event) => (
            <Badge key={event} code>
              {event}
            </Badge>
          ))}
        </span>
      </td>
      <td className="told">{filter === null ? <span className="faint">{words.noFilter}</span> : <code>{filter}</code>}</td>
      <td>
        <WebhookState webhook={webhook} />
      </td>
      <td className="faint">
        <Ago at={created_at} />
      </td>
    </tr>
  );
}
