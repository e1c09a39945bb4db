import { useQuery } from '@tanstack/react-query';
import { AdminsOnly } from '../../app/admins-only.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { api, type Readiness } from '../../data/api.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { Settings } from './settings.js';
import { healthText } from './text.js';
import { Workers } from './workers.js';

const links = [
  ['docs', '/docs'],
  ['openapi', '/openapi.json'],
] as const;

export function Health() {
  return (
    <AdminsOnly>
      <HealthScreen />
    </AdminsOnly>
  );
}

/** Dependencies, workers and settings, each with how to mend it. */
function HealthScreen() {
  const words = useText(healthText);
  const readiness = useQuery({ queryKey: ['readiness'], queryFn: api.readiness });
  const workers = useQuery({ queryKey: ['workers'], queryFn: api.workers });
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings });
  const again = () => void Promise.all([readiness.refetch(), workers.refetch(), settings.refetch()]);
  return (
    <Screen
      title={words.title}
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
      <Loaded query={readiness}>{(health) => <Dependencies health={health} />}</Loaded>
      <Workers query={workers} />
      <Settings query={settings} />
    </Screen>
  );
}

function Dependencies({ health }: { readonly health: Readiness }) {
  const words = useText(healthText);
  const mendOf = (name: string) => (name === 'redis' || name === 'postgres' ? words.mend[name] : words.mend.other);
  return (
    <Panel
      title={
        <span className="line">
          {words.dependencies}
          <Badge tone={health.status === 'ready' ? 'good' : 'bad'}>{health.status === 'ready' ? words.ready : words.notReady}</Badge>
        </span>
      }
    >
      <ul className="stack tight">
        {Object.entries(health.dependencies).map(([name, { state, latency_ms, error }]) => (
          <li key={name} className="stack tight">
            <span className="line">
              <Badge tone={state === 'up' ? 'good' : 'bad'}>
                <i className="dot" />
                {words[state]}
              </Badge>
              <strong>{name}</strong>
              {latency_ms !== undefined && <span className="faint number">{formatMs(latency_ms)}</span>}
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
