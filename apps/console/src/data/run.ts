import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from './api.js';
import { isOpen } from './runs.js';
import { queries } from './queries.js';
import { useRunEvents } from './use-run-events.js';

/** A call with its events. What the gateway says of it is read again when its events tell something new. */
export function useRun(jobId: string) {
  const run = useQuery({ queryKey: ['run', jobId], queryFn: () => api.run(jobId) });
  const isKnown = run.data !== undefined;
  const stream = useRunEvents(isKnown ? jobId : null);
  const kinds = stream.events.filter(({ event }) => event !== 'tool_progress').length;
  useEffect(() => {
    if (kinds > 0 || stream.state === 'ended') void queries.invalidateQueries({ queryKey: ['run', jobId] });
  }, [jobId, kinds, stream.state]);
  return { run, stream, isOpen: run.data !== undefined && isOpen(run.data) && stream.state !== 'ended' };
}
