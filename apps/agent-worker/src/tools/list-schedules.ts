import { listSchedules } from '#lib/contracts';
import { answerOf } from '../gateway-answer.js';
import { handleLocal } from '../local-services.js';
import { told } from '../schedules.js';

export const handleListSchedules = handleLocal(listSchedules, async ({ limit, cursor }, context) => {
  const { schedules, error, network, signal } = context;
  const literals = { INVALID_PARAMS: 'BAD_CURSOR', PERMISSION_DENIED: 'NOT_ALLOWED' } as const;
  const page = await network(() => answerOf(schedules(context).list({ limit, cursor, signal }), literals));
  if ('literal' in page) throw error(page.literal, page.message);
  return { schedules: page.data.schedules.map(told), next_cursor: page.data.pagination.next_cursor };
});
