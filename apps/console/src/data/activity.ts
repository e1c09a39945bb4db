// Calls, errors and latencies as the gateway pushes them, the same from any gateway.
import { useState } from 'react';
import type { Activity, ActivitySecond } from '#lib/contracts';
import { useFeed } from './use-feed.js';

const keptSeconds = 300;

/** Null before the first event. @param isWanted false follows nothing: the stream is for administrators */
export function useActivity(isWanted: boolean) {
  const [activity, setActivity] = useState<Activity | null>(null);
  const feed = useFeed(isWanted ? 'admin/activity' : null, ({ event, data }) => {
    if (event === 'activity') {
      const whole: Activity = JSON.parse(data);
      setActivity(whole);
    }
    if (event === 'second') {
      const next: ActivitySecond = JSON.parse(data);
      setActivity((before) => before && withSecond(before, next));
    }
  });
  return { activity, feed };
}

/** With a second that has closed. Its calls are added to the present minute; latencies of minutes come with the next whole answer. */
function withSecond(before: Activity, { bucket, queues }: ActivitySecond): Activity {
  const seconds = [...before.seconds.filter(({ at }) => at !== bucket.at), bucket].slice(-keptSeconds);
  return { ...before, now: bucket.at, seconds, queues };
}
