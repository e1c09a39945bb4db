import { useMutation } from '@tanstack/react-query';
import type { Schedule } from '#lib/client';
import { invoq } from './gateway.js';
import { queries } from './queries.js';

export const schedulesKey = 'schedules';

/** Reads all that is shown of them again. */
export function schedulesChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: [schedulesKey] });
}

/** Pauses one, or has it go on. */
export function usePause({ id }: Pick<Schedule, 'id'>, onDone: (schedule: Schedule) => void) {
  return useMutation({
    mutationFn: (paused: boolean) => invoq.schedules.change(id, { paused }),
    onSuccess: async (schedule) => {
      onDone(schedule);
      await schedulesChanged();
    },
  });
}

/** Makes its call now. */
export function useRunNow({ id }: Pick<Schedule, 'id'>, onDone: () => void) {
  return useMutation({
    mutationFn: () => invoq.schedules.run(id, { idempotencyKey: crypto.randomUUID() }),
    onSuccess: async () => {
      onDone();
      await schedulesChanged();
    },
  });
}
