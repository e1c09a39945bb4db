import { askOutsideServer } from '#lib/contracts';
import { cleanAnswer } from '../upstreams/clean-answer.js';
import { readOfferAnswer, UnusableAnswer } from '../upstreams/offer-answers.js';
import { requireOwn } from '../upstreams/require-own.js';
import { handle } from '../upstreams/services.js';

export const handleAskOutsideServer = handle(askOutsideServer, async (asked, { upstreams, caller, signal, ...call }) => {
  requireOwn(asked, caller);
  const { server } = asked;
  const { timeoutMs } = askOutsideServer;
  const answer = await call.network(async () => upstreams.ask(asked, signal, async (offers) => offers.ask(asked, { signal, timeoutMs })));
  if (answer.kind === 'refused') throw call.error(answer.literal, `${server} says: ${answer.message}`);
  try {
    const { value, changes } = cleanAnswer(readOfferAnswer(server, asked, answer.result));
    for (const change of changes) call.warn(`In the answer of ${server} ${change}`);
    return { result: { ...Object(value) } };
  } catch (error) {
    throw error instanceof UnusableAnswer ? call.error('UPSTREAM_UNUSABLE', error.message) : error;
  }
});
