import type { Schedule } from '#lib/client';
import { Button } from '../../components/button.js';
import { toast } from '../../components/toasts.js';
import { usePause, useRunNow } from '../../data/schedules.js';
import { principalOf, useSession } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { schedulesText } from './text.js';

/** Whether it belongs to who is signed in: others may pause and delete it, if they administer the tenant. */
export function useIsOwn({ owner }: Pick<Schedule, 'owner'>): boolean {
  const { data: session } = useSession();
  return !!session && owner === principalOf(session);
}

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly small?: boolean;
}

/** Run now, pause, resume. */
export function ScheduleActions({ schedule, small = false }: ScheduleActionsProps) {
  const words = useText(schedulesText);
  const isOwn = useIsOwn(schedule);
  const { name, state } = schedule;
  const refused = (error: Error) => toast(error.message);
  const pause = usePause(schedule, ({ paused }) => toast(paused ? words.paused(name) : words.resumed(name)));
  const run = useRunNow(schedule, () => toast(words.ran(name)));
  const isResting = state === 'paused' || state === 'stopped';
  return (
    <>
      {isOwn && (
        <Button
          small={small}
          icon="play"
          disabled={run.isPending}
          aria-label={words.runOf(name)}
          onClick={() => run.mutate(undefined, { onError: refused })}
        >
          {words.run}
        </Button>
      )}
      {state !== 'ended' && (isOwn || !isResting) && (
        <Button
          small={small}
          icon={isResting ? 'play' : 'pause'}
          disabled={pause.isPending}
          aria-label={`${isResting ? words.resume : words.pause} ${name}`}
          onClick={() => pause.mutate(!isResting, { onError: refused })}
        >
          {isResting ? words.resume : words.pause}
        </Button>
      )}
    </>
  );
}
