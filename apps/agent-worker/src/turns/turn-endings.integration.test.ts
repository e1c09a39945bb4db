import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, jsonAnswer } from '#lib/testing';
import { newUser, startTurnLab, toolMetadata } from './test-turns.js';

describe('a turn that does not complete', () => {
  let lab: Awaited<ReturnType<typeof startTurnLab>>;
  beforeAll(async () => {
    lab = await startTurnLab();
  });
  afterAll(async () => lab[Symbol.asyncDispose]());

  test('keeps what the user has read when it is stopped', async () => {
    const user = newUser();
    const stop = new AbortController();
    const message = lab.scripted({ text: ['Once upon a time', ' never sent'], hangsAfter: 1 });
    const turn = await lab.accept(user, { message });
    const running = lab.run(turn, lab.agent(), { stop });
    await eventually(async () => (await lab.outputTypes(turn.jobId)).includes('content'), { what: 'the first words' });
    stop.abort(new Error('stopped by the user'));
    expect(await running).toMatchObject({ kind: 'stopped' });
    const stored = await eventually(
      async () => {
        const found = await lab.storedTurn(turn.jobId);
        return found?.state === 'stopped' ? found : null;
      },
      { what: 'the stopped turn' },
    );
    expect(stored).toMatchObject({ content: 'Once upon a time', steps: [{ text: 'Once upon a time' }] });
    await eventually(() => lab.model.open === 0, { what: 'the end of the request to the model' });
  });

  test('stores nothing when it ends before its message is stored: its conversation may have been deleted', async () => {
    const stop = new AbortController();
    lab.answers.set('user_profile_lookup', (response, request) => {
      stop.abort(new Error('deleted by the user'));
      void jsonAnswer(200, { success: true, data: {}, metadata: toolMetadata })(response, request);
    });
    const turn = await lab.accept(newUser(), { message: lab.scripted({ text: 'Too late.' }) });
    expect(await lab.run(turn, lab.agent(), { stop })).toMatchObject({ kind: 'stopped' });
    lab.answers.delete('user_profile_lookup');
    await sleep(300);
    expect(await lab.storedTurn(turn.jobId)).toBeNull();
  });

  test.each([
    ['refuses its credential', { status: 401 }, 'The model does not accept our credential'],
    ['breaks off before the first word', { text: ['a'], diesAfter: 0 }, /^The model (failed|stopped)/],
    ['breaks off in the middle', { text: ['Half a', ' word'], diesAfter: 1 }, /^The model (failed|stopped)/],
    ['is silent', { text: ['a'], hangsAfter: 0 }, 'The model was silent for 300 ms'],
    ['declines', { finish: 'refusal' }, 'The model declined to answer this message'],
    ['uses up its output before the first word', { finish: 'length' }, 'The model used up its output before it had said anything'],
    ['says nothing', {}, 'The model gave no answer'],
  ] as const)('ends as agent-error when the model %s, and still costs a conversation', async (...row) => {
    const [, reply, message] = row;
    const user = newUser();
    await lab.quota.check(user, { conversations: 10, tokens: null });
    const turn = await lab.accept(user, { message: lab.scripted(reply) });
    const result = await lab.run(turn, lab.agent({ MODEL_TIMEOUT_MS: '300' }));
    expect(result).toMatchObject({ kind: 'refused', error: { native_code: 'agent-error', message: expect.stringMatching(message) } });
    expect(JSON.stringify(result)).not.toContain('secret-of-the-provider');
    const said = 'diesAfter' in reply && reply.diesAfter === 1 ? 'Half a' : '';
    expect(await lab.storedTurn(turn.jobId)).toMatchObject({ state: 'failed', content: said });
    expect(await lab.quota.usage(user)).toMatchObject({ conversations: 1 });
  });

  test('asks the model again when it is overloaded, and does not show that to the user', async () => {
    const message = lab.scripted({ status: 503, retryAfter: 0 }, { text: 'There you are.' });
    const turn = await lab.accept(newUser(), { message });
    expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'There you are.' } });
    expect(lab.model.asked(message)).toHaveLength(2);
    expect(await lab.outputTypes(turn.jobId)).toEqual(['thinking', 'content', 'step']);
  });

  test.each([
    ['read', false],
    ['replaced', true],
  ])('gives the conversation back when it cannot be %s before anything was said', async (...row) => {
    const [, regenerate] = row;
    const user = newUser();
    await lab.quota.check(user, { conversations: 10, tokens: null });
    const turn = await lab.accept(user, { message: lab.scripted({ text: 'Never asked.' }), regenerate });
    const result = await lab.run(turn, lab.agent({ DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/none' }));
    expect(result).toMatchObject({ kind: 'failed', error: { native_code: 'internal_error' } });
    expect(await lab.quota.usage(user)).toMatchObject({ conversations: 0 });
    expect(lab.model.asked(turn.input.message)).toHaveLength(0);
  });

  test.each([true, false])('stores nothing once its conversation was deleted (%s: the message is stored first)', async (regenerate) => {
    const message = lab.scripted({ text: 'Never kept.' });
    const turn = await lab.accept(newUser(), { message, regenerate });
    await lab.run(turn, lab.agent(), { isDeleted: true });
    const { conversation_id: id } = turn.input;
    await lab.settled();
    expect(await lab.storedTurn(turn.jobId)).toBeNull();
    expect(await lab.database.conversation.findFirst({ where: { id } })).toBeNull();
  });

  test('ends as agent-error in a conversation of somebody else, which it neither reads nor changes', async () => {
    const conversation_id = randomUUID();
    const owner = newUser();
    const agent = lab.agent();
    await lab.run(await lab.accept(owner, { message: lab.scripted({ text: 'The secret is a heron.' }), conversation_id }), agent);
    const stranger = { ...owner, userId: 'other' };
    const message = lab.scripted({ text: 'Hello.' });
    const turn = await lab.accept(stranger, { message, conversation_id });
    expect(await lab.run(turn, agent)).toMatchObject({
      kind: 'refused',
      error: { native_code: 'agent-error', message: 'The conversation belongs to somebody else; begin a new one' },
    });
    expect(await lab.storedTurn(turn.jobId)).toBeNull();
    expect(lab.model.asked(message).flatMap(({ texts }) => texts.join(''))).not.toContainEqual(expect.stringContaining('heron'));
  });
});
