import { useQuery } from '@tanstack/react-query';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { Loaded, Loading } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { OwnDomainPanels } from '../../components/domains/own-domain-panels.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Stale } from '../../components/stale.js';
import { useScope } from '../../data/session.js';
import { useWorkers } from '../../data/workers.js';
import { api, type Readiness } from '../../data/api.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { Settings } from './settings.js';
import { healthText } from './text.js';
import { Workers } from './workers.js';

const readinessMs = 5_000;
const links = [
  ['docs', '/docs'],
  ['openapi', '/openapi.json'],
] as const;

/** The system to its operators; to an administrator of a tenant the domains of its own workers. */
export function Health() {
  const isAdmin = useScope('admin');
  return <ScopeOnly scope="tenant:admin">{isAdmin ? <HealthScreen /> : <OwnWorkersScreen />}</ScopeOnly>;
}

function OwnWorkersScreen() {
  const words = useText(healthText);
  const { workers, heardAt, feed } = useWorkers(true);
  return (
    <Screen title={words.workers} aside={<FeedBadge state={feed.state} />}>
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      <Stale heardAt={heardAt} />
      {workers ? <OwnDomainPanels domains={workers.own_domains} hasTenants={false} /> : <Loading />}
    </Screen>
  );
}

/** Dependencies, workers and settings, each with how to mend it. */
function HealthScreen() {
  const words = useText(healthText);
  // Whoever looks at the health of a gateway has to see that it is gone.
  const readiness = useQuery({ queryKey: ['readiness'], queryFn: api.readiness, refetchInterval: readinessMs });
  const { workers, heardAt, feed } = useWorkers(true);
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings });
  const again = () => void Promise.all([readiness.refetch(), settings.refetch()]);
  return (
    <Screen
      title={words.title}
      aside={<FeedBadge state={feed.state} />}
      actions={
        <>
          {links.map(([name, href]) => (
            <a key={name} className="button quiet" href={href} target="_blank" rel="noreferrer">
              {words[name]} <Icon name="external" />
            </a>
          ))}
          <Button icon="refresh" onClick={again}>
            {words.refresh}
          </Button>
        </>
      }
    >
      <Stale heardAt={heardAt} />
      <Loaded query={readiness}>{(health) => <Dependencies health={health} isKnown={readiness.error === null} />}</Loaded>
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      {workers ? <Workers workers={workers.workers} /> : <Loading />}
      {workers && <OwnDomainPanels domains={workers.own_domains} hasTenants />}
      <Settings query={settings} />
    </Screen>
  );
}

/** @param isKnown false when the gateway has not answered since: then nothing of it is green */
function Dependencies({ health, isKnown }: { readonly health: Readiness; readonly isKnown: boolean }) {
  const words = useText(healthText);
  const isReady = health.status === 'ready';
  const mendOf = (name: string) => (name === 'redis' || name === 'postgres' ? words.mend[name] : words.mend.other);
  return (
    <Panel
      title={
        <span className="line">
          {words.dependencies}
          <Badge tone={isKnown && isReady ? 'good' : 'bad'}>{isKnown ? (isReady ? words.ready : words.notReady) : words.noAnswer}</Badge>
        </span>
      }
    >
      <ul className="stack tight">
        {Object.entries(health.dependencies).map(([name, { state, latency_ms, error }]) => (
          <li key={name} className="stack tight">
            <span className="line">
              <Badge tone={isKnown ? (state === 'up' ? 'good' : 'bad') : 'plain'}>
                <i className="dot" />
                {isKnown ? words[state] : words.unknown}
              </Badge>
              <strong>{name}</strong>
              {isKnown && latency_ms !== undefined && <span className="faint number">{formatMs(latency_ms)}</span>}
            </span>
            {state === 'down' && (
              <Notice tone="bad">
                <code>{error}</code> {mendOf(name)}
              </Notice>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
