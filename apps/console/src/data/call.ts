import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from './api.js';
import { isOpen } from './calls.js';
import { queries } from './queries.js';
import { useWhileTouched } from './while-touched.js';
import { useCallEvents } from './use-call-events.js';

/** Its place in a line is told by no event. */
const everyMs = 5_000;

/** A call with its events. What the gateway says of it is read again when its events tell something new. */
export function useCall(jobId: string) {
  const every = useWhileTouched(everyMs);
  const call = useQuery({
    queryKey: ['call', jobId],
    queryFn: () => api.call(jobId),
    refetchInterval: ({ state: { data } }) => (data?.rest?.flow ? every : false),
  });
  const isKnown = call.data !== undefined;
  const stream = useCallEvents(isKnown ? jobId : null);
  const kinds = stream.events.filter(({ event }) => event !== 'tool_progress').length;
  useEffect(() => {
    if (kinds > 0 || stream.state === 'ended') void queries.invalidateQueries({ queryKey: ['call', jobId] });
  }, [jobId, kinds, stream.state]);
  return { call, stream, isOpen: call.data !== undefined && isOpen(call.data) && stream.state !== 'ended' };
}
