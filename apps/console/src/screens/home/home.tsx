import { Screen } from '../../components/screen.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { OwnDomains } from '../../components/domains/own-domains.js';
import { useWorkers } from '../../data/workers.js';
import { Stale } from '../../components/stale.js';
import { useActivity } from '../../data/activity.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { ActivityView } from './activity-view.js';
import { FirstCall } from './first-call.js';
import { MyDay } from './my-day.js';
import { homeText } from './text.js';

/** What the system does now, for administrators; what the caller has used today, for everybody. */
export function Home() {
  const words = useText(homeText);
  const isAdmin = useScope('admin');
  const isTenantAdmin = useScope('tenant:admin');
  const { activity, heardAt, feed } = useActivity(isAdmin);
  const { workers } = useWorkers(isTenantAdmin && !isAdmin);
  const isEmpty = activity !== null && activity.sums.minutes.calls === 0;
  return (
    <Screen title={words.title} {...(isAdmin && { aside: <FeedBadge state={feed.state} /> })}>
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      <Stale heardAt={heardAt} />
      {isAdmin && activity === null && feed.error === null && <Loading lines={8} />}
      {isEmpty && (
        <Panel>
          <FirstCall />
        </Panel>
      )}
      {activity && <ActivityView activity={activity} />}
      {!isAdmin && isTenantAdmin && (
        <OwnDomains domains={(workers?.own_domains ?? []).map((domain) => ({ ...domain, workers: domain.connected }))} hasTenants={false} />
      )}
      <MyDay hasRuns={!isAdmin} />
    </Screen>
  );
}
