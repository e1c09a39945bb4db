import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { eventually, type ScriptedAnswer } from '#lib/testing';
import { newUser, startTurnLab } from './test-turns.js';

/** A tool that never answers: the process that waits for it is as good as dead. */
const never: ScriptedAnswer = () => undefined;

describe('a turn whose process died is run again and', () => {
  let lab: Awaited<ReturnType<typeof startTurnLab>>;
  beforeAll(async () => {
    lab = await startTurnLab();
  });
  afterAll(async () => lab[Symbol.asyncDispose]());

  test('continues after its last complete step: no call of the model and no effect happens twice', async () => {
    const user = newUser();
    const usage = { input: 10, output: 1 };
    const calls = [
      { id: 'read', name: 'look_up', arguments: {} },
      { id: 'write', name: 'change_it', arguments: {} },
    ];
    const message = lab.scripted({ text: 'First. ', calls, usage }, { text: 'Second.', usage });
    const turn = await lab.accept(user, { message });
    lab.answers.set('change_it', never);
    void lab.run(turn, lab.agent());
    await eventually(async () => (await lab.outputTypes(turn.jobId)).includes('tool_result'), { what: 'the result of the first tool' });
    await eventually(() => lab.gatewayCalls('change_it').length === 1, { what: 'the call with the effect' });
    lab.answers.delete('change_it');

    expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'First. Second.', iterations: 2 } });
    expect(lab.model.asked(message)).toHaveLength(2);
    expect(lab.gatewayCalls('look_up')).toHaveLength(1);
    expect(lab.gatewayCalls('change_it').map(({ headers }) => headers['idempotency-key'])).toEqual([
      `${turn.jobId}:write`,
      `${turn.jobId}:write`,
    ]);
    const results = (await lab.outputs(turn.jobId)).flatMap((output) => (output.type === 'tool_result' ? [output.id] : []));
    expect(results).toEqual(['read', 'write']);
    expect(await lab.storedTurn(turn.jobId)).toMatchObject({ state: 'completed', content: 'First. Second.' });
  });

  test('counts the tokens of both runs', async () => {
    const user = newUser();
    const calls = [{ name: 'change_it', arguments: {} }];
    const message = lab.scripted({ calls, usage: { input: 10, output: 1 } }, { text: 'Done.', usage: { input: 20, output: 2 } });
    const turn = await lab.accept(user, { message });
    const before = lab.gatewayCalls('change_it').length;
    lab.answers.set('change_it', never);
    void lab.run(turn, lab.agent());
    // The first run asks the tool after it has written its step: only then may the tool answer the second one.
    await eventually(() => lab.gatewayCalls('change_it').length > before, { what: 'the call of the first run' });
    lab.answers.delete('change_it');
    expect(await lab.run(turn, lab.agent())).toMatchObject({ data: { usage: { input_tokens: 30, output_tokens: 3 } } });
    expect(await lab.storedTurn(turn.jobId)).toMatchObject({ inputTokens: 30, outputTokens: 3 });
    expect(await lab.quota.usage(user)).toMatchObject({ tokens: 33 });
  });

  test('still has the tools of a skill that was chosen in an earlier turn', async () => {
    const user = newUser();
    const conversation_id = randomUUID();
    const choosing = lab.scripted({ calls: [{ name: 'use_skill', arguments: { skills: ['alpha'], topic: 'self' } }] }, { text: 'Alpha.' });
    await lab.run(await lab.accept(user, { message: choosing, conversation_id }), lab.agent());
    const message = lab.scripted({ calls: [{ name: 'alpha_tool', arguments: {} }] }, { text: 'Done.' });
    const turn = await lab.accept(user, { message, conversation_id });
    lab.answers.set('alpha_tool', never);
    void lab.run(turn, lab.agent());
    await eventually(async () => (await lab.outputTypes(turn.jobId)).includes('step'), { what: 'the call of the tool' });
    lab.answers.delete('alpha_tool');
    await lab.run(turn, lab.agent());
    expect((await lab.outputs(turn.jobId)).find(({ type }) => type === 'tool_result')).toMatchObject({ result: { from: 'alpha_tool' } });
  });

  test('asks the model again when it had given no word', async () => {
    const message = lab.scripted({ text: 'never heard', hangsAfter: 0 }, { text: 'Heard.' });
    const turn = await lab.accept(newUser(), { message });
    void lab.run(turn, lab.agent());
    await eventually(() => lab.model.asked(message).length === 1, { what: 'the first question' });
    await eventually(async () => (await lab.outputTypes(turn.jobId)).length === 1, { what: 'its announcement' });
    expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'Heard.' } });
    expect(await lab.outputTypes(turn.jobId)).toEqual(['thinking', 'content', 'step']);
  });

  test('ends as agent-error when it was cut off between two words, which stay in the conversation', async () => {
    const message = lab.scripted({ text: ['Half', ' a word'], hangsAfter: 1 }, { text: 'Never asked.' });
    const turn = await lab.accept(newUser(), { message });
    void lab.run(turn, lab.agent());
    await eventually(async () => (await lab.outputTypes(turn.jobId)).includes('content'), { what: 'the first word' });
    expect(await lab.run(turn, lab.agent())).toMatchObject({
      kind: 'refused',
      error: { native_code: 'agent-error', message: expect.stringContaining('please ask again') },
    });
    expect(lab.model.asked(message)).toHaveLength(1);
    expect(await lab.storedTurn(turn.jobId)).toMatchObject({ state: 'failed', content: 'Half' });
  });

  test('only stores its answer again when all of it was in the log', async () => {
    const message = lab.scripted({ text: 'All of it.' });
    const turn = await lab.accept(newUser(), { message });
    await lab.run(turn, lab.agent());
    await lab.database.chatTurn.updateMany({ where: { id: turn.jobId }, data: { state: 'running', content: '', steps: [] } });
    expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'All of it.' } });
    expect(lab.model.asked(message)).toHaveLength(1);
    expect(await lab.storedTurn(turn.jobId)).toMatchObject({ state: 'completed', content: 'All of it.' });
  });
});
