import { getResult } from '#lib/contracts';
import { answerOf } from '../gateway-answer.js';
import { handleLocal } from '../local-services.js';

const literals = {
  RESOURCE_NOT_FOUND: 'NO_SUCH_RESULT',
  CONFLICT: 'NO_RESULT',
  INVALID_PARAMS: 'BAD_OFFSET',
  RESULT_CONSUMED: 'ALREADY_READ',
} as const;

export const handleGetResult = handleLocal(getResult, async ({ result_id, offset, limit }, context) => {
  const { results, error, network, signal } = context;
  const part = await network(() => answerOf(results(context).result(result_id, { offset, limit, signal }), literals));
  if ('data' in part) return part.data;
  const isUnknown = part.literal === 'NO_SUCH_RESULT';
  const message = isUnknown ? 'There is no such result any more: it is kept for 24 hours. Call the tool again' : part.message;
  throw error(part.literal, message, { details: part.details });
});
