import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookDelivery } from '#lib/client';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { EmptyState } from '../../components/empty-state.js';
import { Segments } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Facts } from '../../components/stats.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { usePages } from '../../data/use-pages.js';
import { webhooksChanged, webhooksKey } from '../../data/webhooks.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';

const route = getRouteApi('/webhooks/$id');
const states = ['waiting', 'succeeded', 'failed'] as const;
const tones: Readonly<Record<WebhookDelivery['state'], Tone>> = { waiting: 'info', succeeded: 'good', failed: 'bad' };
const everyMs = 5_000;

/** What was sent, and what came of it, the newest first. */
export function Deliveries({ id }: { readonly id: string }) {
  const words = useText(webhooksText);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [openId, setOpenId] = useState<string | null>(null);
  const state = states.find((one) => one === search.state);
  const pages = usePages({
    key: [webhooksKey, 'deliveries', id, state],
    read: (cursor, signal) => invoq.webhooks.deliveries(id, { state, cursor, signal }),
    everyMs: useWhileTouched(everyMs),
  });
  const rows = pages.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  const opened = rows.find((delivery) => delivery.id === openId);
  return (
    <Panel
      padded={false}
      title={words.deliveries}
      actions={
        <Segments
          label={words.state}
          value={state ?? 'any'}
          choices={[['any', words.anyState] as const, ...states.map((one) => [one, words.deliveryStates[one]] as const)]}
          onChoose={(chosen) => void navigate({ to: '.', search: { state: chosen === 'any' ? '' : chosen }, replace: true })}
        />
      }
    >
      <Loaded query={pages} lines={6}>
        {() =>
          rows.length === 0 && !pages.hasNextPage ? (
            <EmptyState icon="send" title={state ? words.noneFits : words.noDeliveries}>
              <p>{words.noDeliveriesHelp}</p>
            </EmptyState>
          ) : (
            <>
              <Table
                isStacked
                columns={[words.event, words.state, words.answer, { title: words.tries, isNumber: true }, words.next, words.at]}
              >
                {rows.map((delivery) => (
                  <Row key={delivery.id} delivery={delivery} onOpen={setOpenId} />
                ))}
              </Table>
              <MoreButton pages={pages} />
            </>
          )
        }
      </Loaded>
      {opened && <DeliveryDialog delivery={opened} onClose={() => setOpenId(null)} />}
    </Panel>
  );
}

function Row({ delivery, onOpen }: { readonly delivery: WebhookDelivery; readonly onOpen: (id: string) => void }) {
  const words = useText(webhooksText);
  const { id, type, state, attempts, next_at, created_at } = delivery;
  return (
    <tr>
      <td>
        <button type="button" className="link" onClick={() => onOpen(id)}>
          <code>{type}</code>
        </button>
      </td>
      <td>
        <Badge tone={tones[state]}>{words.deliveryStates[state]}</Badge>
      </td>
      <td className="told">
        <Answer delivery={delivery} />
      </td>
      <td className="number">{attempts}</td>
      <td className="faint">{next_at === null ? '—' : <Ago at={next_at} />}</td>
      <td className="faint">
        <Ago at={created_at} />
      </td>
    </tr>
  );
}

function Answer({ delivery: { attempts, last_status, last_error, last_duration_ms } }: { readonly delivery: WebhookDelivery }) {
  const words = useText(webhooksText);
  if (attempts === 0) return <span className="faint">—</span>;
  return (
    <>
      {last_status ?? last_error ?? words.noAnswer}{' '}
      {last_duration_ms !== null && <span className="faint">{formatMs(last_duration_ms)}</span>}
      {last_status !== null && last_error !== null && <div className="soft">{last_error}</div>}
    </>
  );
}

function DeliveryDialog({ delivery, onClose }: { readonly delivery: WebhookDelivery; readonly onClose: () => void }) {
  const words = useText(webhooksText);
  const { id, webhook_id, event_id, type, job_id, url, state, event, created_at } = delivery;
  const retry = useMutation({
    mutationFn: () => invoq.webhooks.retry(webhook_id, id),
    onSuccess: () => {
      toast(words.retried);
      onClose();
    },
    onSettled: webhooksChanged,
  });
  return (
    <Dialog
      title={type}
      isWide
      onClose={onClose}
      footer={
        <Button look="primary" icon="replay" disabled={retry.isPending} onClick={() => retry.mutate()}>
          {words.retry}
        </Button>
      }
    >
      <Facts
        facts={[
          [
            words.state,
            <Badge key="state" tone={tones[state]}>
              {words.deliveryStates[state]}
            </Badge>,
          ],
          [words.answer, <Answer key="answer" delivery={delivery} />],
          [words.at, <Ago key="at" at={created_at} />],
          ['webhook-id', <code key="id">{event_id}</code>],
          ...(url === null ? [] : [[words.instead, <code key="url">{url}</code>] as const]),
          ...(job_id === null
            ? []
            : [
                [
                  words.call,
                  <Link key="call" to="/calls/$jobId" params={{ jobId: job_id }}>
                    <code>{job_id}</code>
                  </Link>,
                ] as const,
              ]),
        ]}
      />
      {retry.error && <ErrorNotice error={retry.error} />}
      {state === 'failed' && <Notice tone="warn">{words.noMoreTries}</Notice>}
      <JsonBlock value={event} label={words.body} />
    </Dialog>
  );
}
