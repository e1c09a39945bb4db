import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { OwnDomains } from '../../components/domains/own-domains.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Screen } from '../../components/screen.js';
import { Stale } from '../../components/stale.js';
import { useActivity } from '../../data/activity.js';
import { useErrors } from '../../data/errors.js';
import { useIsNew } from '../../data/first-calls.js';
import { useScope } from '../../data/session.js';
import { useWorkers } from '../../data/workers.js';
import { useText } from '../../language/use-text.js';
import { windowText } from '../../language/windows.js';
import { ActivityView } from './activity-view.js';
import { MyDay } from './my-day.js';
import type { Range } from './summary.js';
import { homeText } from './text.js';
import { Verdict } from './verdict.js';

const route = getRouteApi('/');
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.js')).FirstSteps }));

/** What the system does now, for those who operate it; what their tenant's domains do, for its administrators; one's own day, for everybody. */
export function Home() {
  const isAdmin = useScope('admin');
  const isTenantAdmin = useScope('tenant:admin');
  if (isAdmin) return <OperatorHome />;
  return isTenantAdmin ? <TenantHome /> : <OwnHome />;
}

function OperatorHome() {
  const words = useText(homeText);
  const { activity, heardAt, feed } = useActivity(true);
  const { range: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const range: Range = chosen === 'minutes' ? 'minutes' : 'seconds';
  return (
    <Screen title={words.title} aside={<FeedBadge state={feed.state} />}>
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      {activity === null && feed.error === null && <Loading lines={8} />}
      <Beginning />
      <Stale heardAt={heardAt}>
        {activity && (
          <ActivityView
            activity={activity}
            range={range}
            onRange={(next) => void navigate({ to: '.', search: { range: next }, replace: true })}
          />
        )}
      </Stale>
      <MyDay hasCalls={false} />
    </Screen>
  );
}

function TenantHome() {
  const words = useText(homeText);
  const windows = useText(windowText);
  const { workers, heardAt } = useWorkers(true);
  const errors = useErrors({ scope: 'tenant', window: '1h' });
  const domains = (workers?.own_domains ?? []).map((domain) => ({ ...domain, workers: domain.connected }));
  const total = errors.data?.pages[0]?.total;
  return (
    <Screen title={words.title}>
      <Beginning />
      <Stale heardAt={heardAt}>
        {workers && total && (
          <Verdict
            scope="tenant"
            domains={domains}
            errors={{ system: total.system, calls: null, since: '1h', window: windows.last['1h'] }}
          />
        )}
        <OwnDomains domains={domains} hasTenants={false} />
      </Stale>
      <MyDay hasCalls />
    </Screen>
  );
}

function OwnHome() {
  const words = useText(homeText);
  return (
    <Screen title={words.title}>
      <Beginning />
      <MyDay hasCalls />
    </Screen>
  );
}

/** Until somebody has made a call. */
function Beginning() {
  const isNew = useIsNew();
  if (isNew === null) return <Loading />;
  return <Suspense fallback={<Loading />}>{isNew && <FirstSteps />}</Suspense>;
}
