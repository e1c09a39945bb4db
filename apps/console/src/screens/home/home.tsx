import { Screen } from '../../components/screen.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
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
  const { activity, feed } = useActivity(isAdmin);
  const isEmpty = activity !== null && activity.minutes.length === 0 && activity.seconds.length === 0;
  return (
    <Screen title={words.title} {...(isAdmin && { aside: <FeedBadge state={feed.state} /> })}>
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      {isAdmin && activity === null && feed.error === null && <Loading lines={8} />}
      {isEmpty && (
        <Panel>
          <FirstCall />
        </Panel>
      )}
      {activity && <ActivityView activity={activity} />}
      <MyDay hasRuns={!isAdmin} />
    </Screen>
  );
}
