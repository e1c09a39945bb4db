import { afterEach, expect, test } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { Refusal, type Caller } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import { Metrics } from '#lib/transport';
import { installAnswersOfATurn } from '../http/answers-of-a-turn.js';
import { sendProblem } from '../http/problem.js';
import { installRequestFacts } from '../http/request-facts.js';
import { takeOver } from '../http/take-over.js';
import { installAuthentication } from './authentication.js';
import { OpenRequests } from './open-requests.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
let app: FastifyInstance;
afterEach(async () => app.close());

/** Asks a server whose only route answers as given. @param answer gets what ends the credential of its request */
async function ask(answer: (reply: FastifyReply, endCredential: () => Promise<void>) => Promise<void>) {
  const log = createLogger('test', 'silent');
  const metrics = new Metrics();
  let hasEnded = false;
  const check = async (): Promise<void> => {
    if (hasEnded) throw new Refusal('UNAUTHORIZED', 'This key has ended');
  };
  const openRequests = new OpenRequests({ settings: { OPEN_REQUESTS_PER_CREDENTIAL: 10 }, metrics }, { check });
  const unused = async (): Promise<never> => Promise.reject(new Error('not used here'));
  app = fastify();
  installRequestFacts(app, () => undefined);
  installAuthentication(app, {
    authenticator: { authenticateAtOnce: () => caller, authenticate: unused, authenticateSession: unused },
    tickets: { redeem: unused, readerOf: unused },
    openRequests,
    resource: { challenge: () => 'Bearer' },
    metrics,
    log,
  });
  installAnswersOfATurn(app);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, { error, log }));
  app.get('/', async (_, reply) => {
    await answer(reply, async () => {
      hasEnded = true;
      await openRequests.sweep();
    });
    return reply;
  });
  const response = await fetch(await app.listen());
  return { status: response.status, text: await response.text() };
}

test('A request whose credential ends in the turn in which it is answered has that answer', async () => {
  const { status, text } = await ask(async (reply, endCredential) => {
    void reply.send('the answer');
    await endCredential();
  });
  expect([status, text]).toEqual([200, 'the answer']);
});

test.each<readonly [string, (reply: FastifyReply) => unknown]>([
  ['answers', (reply) => reply.status(201).send('the answer')],
  ['begins a stream', (reply) => takeOver(reply, {}).end('the answer')],
  ['fails', () => Promise.reject(new Refusal('INVALID_PARAMS', 'wrong'))],
])('A request whose credential ends in the turn in which it %s later is 401', async (_, answerIn) => {
  const { status, text } = await ask(async (reply, endCredential) => {
    await endCredential();
    await answerIn(reply);
  });
  expect([status, text]).toEqual([401, expect.stringContaining('This key has ended')]);
});
