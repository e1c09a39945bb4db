import { cancelSchedule } from '#lib/contracts';
import { answerOf } from '../gateway-answer.js';
import { handleLocal } from '../local-services.js';

export const handleCancelSchedule = handleLocal(cancelSchedule, async ({ name }, context) => {
  const { schedules, error, network, signal } = context;
  const literals = { RESOURCE_NOT_FOUND: 'not there', PERMISSION_DENIED: 'NOT_ALLOWED' } as const;
  const deleted = await network(() => answerOf(schedules(context).delete(name, { signal }), literals));
  if ('data' in deleted) return { name, status: 'cancelled' as const };
  if (deleted.literal === 'not there') return { name, status: 'not_there' as const };
  throw error(deleted.literal, deleted.message);
});
