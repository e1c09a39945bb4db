import { askOutsideServer } from '#lib/contracts';
import { cleanAnswer } from '../upstreams/clean-answer.js';
import { readOfferAnswer, UnusableAnswer } from '../upstreams/offer-answers.js';
import { tokenHider } from '../upstreams/hide-token.js';
import { requireOwn } from '../upstreams/require-own.js';
import type { UsedAccount } from '../upstreams/server-account.js';
import { connectionOf, handle } from '../upstreams/services.js';
import { accessOf, accountFault, ownerOf, withAccount } from '../upstreams/with-account.js';

export const handleAskOutsideServer = handle(askOutsideServer, async (asked, { upstreams, servers, accounts, caller, signal, ...call }) => {
  requireOwn(asked, caller);
  const { server } = asked;
  const { timeoutMs } = askOutsideServer;
  const connection = await call.network(async () => connectionOf(servers, asked));
  const once = async (account: UsedAccount | null) =>
    tokenHider(account?.token ?? null)(
      await upstreams.ask(asked, { signal, account }, async (offers) => offers.ask(asked, { signal, timeoutMs })),
    );
  const access = connection && accessOf(accounts, ownerOf(caller), connection);
  const answer = await call
    .network(async () => withAccount(access, once))
    .catch((error: unknown) => {
      const fault = connection && accountFault(server, connection, error);
      throw fault ? call.error(fault.literal, fault.message) : error;
    });
  if (answer.kind === 'refused') throw call.error(answer.literal, `${server} says: ${answer.message}`);
  try {
    const { value, changes } = cleanAnswer(readOfferAnswer(server, asked, answer.result));
    for (const change of changes) call.warn(`In the answer of ${server} ${change}`);
    return { result: { ...Object(value) } };
  } catch (error) {
    throw error instanceof UnusableAnswer ? call.error('UPSTREAM_UNUSABLE', error.message) : error;
  }
});
