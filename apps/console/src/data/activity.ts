// Calls, errors and latencies as the gateway pushes them, the same from any gateway.
import { useState } from 'react';
import type { ServerSentEvent } from '#lib/client';
import type { Activity, ActivitySecond } from '#lib/contracts';
import { useFeed } from './use-feed.js';

/** The gateway tells of each second. */
const silentMs = 10_000;
const [keptSeconds, keptMinutes] = [300, 180];

/** Null before the first event. @param isWanted false follows nothing: the stream is for administrators */
export function useActivity(isWanted: boolean) {
  const [activity, setActivity] = useState<Activity | null>(null);
  const [heardAt, setHeardAt] = useState<number | null>(null);
  const onEvent = ({ event, data }: ServerSentEvent) => {
    setHeardAt(Date.now());
    if (event === 'activity') {
      const whole: Activity = JSON.parse(data);
      setActivity(whole);
    }
    if (event === 'second') {
      const next: ActivitySecond = JSON.parse(data);
      setActivity((before) => before && withSecond(before, next));
    }
  };
  const feed = useFeed(isWanted ? 'admin/activity' : null, onEvent, { silentMs });
  return { activity, heardAt, feed };
}

/** With a second that has closed; with the sums, and the present minute, where they came with it. */
function withSecond(before: Activity, { bucket, minute, queues, own_queues, sums = before.sums }: ActivitySecond): Activity {
  const seconds = [...before.seconds.filter(({ at }) => at !== bucket.at), bucket].slice(-keptSeconds);
  const minutes = minute ? [...before.minutes.filter(({ at }) => at !== minute.at), minute].slice(-keptMinutes) : before.minutes;
  return { ...before, now: bucket.at, seconds, minutes, queues, own_queues, sums };
}
