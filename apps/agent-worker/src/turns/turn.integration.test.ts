import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTurnToken } from '#lib/transport';
import { eventually, jsonAnswer } from '#lib/testing';
import { newGuest, newUser, startTurnLab, toolMetadata } from './test-turns.js';

describe('a turn', () => {
  let lab: Awaited<ReturnType<typeof startTurnLab>>;
  beforeAll(async () => {
    lab = await startTurnLab();
  });
  afterAll(async () => lab[Symbol.asyncDispose]());

  describe('that is answered', () => {
    test('is in the log as it came, in the conversation, and in the quota', async () => {
      const user = newUser();
      const message = lab.scripted({ text: ['Hel', 'lo.'], usage: { input: 30, output: 4 } });
      const turn = await lab.accept(user, { message });
      const result = await lab.run(turn, lab.agent());
      const usage = { input_tokens: 30, output_tokens: 4 };
      expect(result).toMatchObject({
        kind: 'done',
        data: { conversation_id: turn.input.conversation_id, content: 'Hello.', finish_reason: 'stop', iterations: 1, usage },
      });
      const outputs = await lab.outputs(turn.jobId);
      expect(outputs.map((output) => (output.type === 'content' ? output.content : '')).join('')).toBe('Hello.');
      expect([outputs[0], outputs.at(-1)]).toEqual([
        { type: 'thinking', iteration: 1 },
        { type: 'step', iteration: 1, finish_reason: 'stop', usage },
      ]);
      expect(await lab.storedTurn(turn.jobId)).toMatchObject({
        message,
        content: 'Hello.',
        state: 'completed',
        steps: [{ text: 'Hello.', calls: [], results: [] }],
        inputTokens: 30,
        outputTokens: 4,
      });
      expect(await lab.quota.usage(user)).toMatchObject({ tokens: 34 });
    });

    test('costs what all its calls of the model do, where that has a price', async () => {
      const price = { input_micros_per_million: 2_000_000, output_micros_per_million: 10_000_000 };
      const agent = lab.agent({ MODEL_PRICES: JSON.stringify({ 'script*': price }) });
      const message = lab.scripted(
        { calls: [{ name: 'look_up', arguments: {} }], usage: { input: 30, output: 4 } },
        { text: 'Done.', usage: { input: 50, output: 1 } },
      );
      expect(await lab.run(await lab.accept(newUser(), { message }), agent)).toMatchObject({ kind: 'done', reportedMicros: 100 + 110 });
      const free = lab.scripted({ text: 'Hello.', usage: { input: 30, output: 4 } });
      expect(await lab.run(await lab.accept(newUser(), { message: free }), lab.agent())).toMatchObject({ reportedMicros: 0 });
    });

    test('shows the model what was said before, without the answer that it replaces', async () => {
      const user = newUser();
      const agent = lab.agent();
      const conversation_id = randomUUID();
      const turns = [];
      for (const [text, message] of [
        ['First answer.', lab.scripted({ text: 'First answer.' })],
        ['Second answer.', lab.scripted({ text: 'Second answer.' })],
      ] as const) {
        const turn = await lab.accept(user, { message, conversation_id });
        expect(await lab.run(turn, agent)).toMatchObject({ data: { content: text } });
        turns.push(turn);
      }
      const again = lab.scripted({ text: 'Better.' });
      const replacing = await lab.accept(user, { message: again, conversation_id, regenerate: true });
      await lab.run(replacing, agent);
      const texts = lab.model.asked(again)[0]?.texts.join('\n') ?? '';
      expect(texts).toContain('First answer.');
      expect(texts).not.toContain('Second answer.');
      expect(await lab.storedTurn(turns[1]?.jobId ?? '')).toMatchObject({ state: 'replaced' });
    });

    test.each([
      ['0', []],
      ['60', ['short two']],
      ['8000', ['long one', 'short two']],
    ] as const)('shows no more history than %s tokens', async (...row) => {
      const [budget, shown] = row;
      const user = newUser();
      const agent = lab.agent({ HISTORY_TOKENS: budget });
      const conversation_id = randomUUID();
      for (const [name, text] of [
        ['long one', 'word '.repeat(400)],
        ['short two', 'Yes.'],
      ] as const) {
        const message = `${name} ${randomUUID()}`;
        lab.model.on(message, { text });
        await lab.run(await lab.accept(user, { message, conversation_id }), agent);
      }
      const last = lab.scripted({ text: 'Done.' });
      await lab.run(await lab.accept(user, { message: last, conversation_id }), agent);
      const texts = lab.model.asked(last)[0]?.texts ?? [];
      expect(['long one', 'short two'].filter((name) => texts.some((text) => text.includes(name)))).toEqual(shown);
    });

    test('says nothing of an earlier conversation of the same user', async () => {
      const user = newUser();
      const agent = lab.agent();
      const first = lab.scripted({ text: 'The secret is a heron.' });
      await lab.run(await lab.accept(user, { message: first }), agent);
      const second = lab.scripted({ text: 'I do not know.' });
      await lab.run(await lab.accept(user, { message: second }), agent);
      expect(lab.model.asked(second)[0]?.texts.join('')).not.toContain('heron');
    });
  });

  describe('with tools', () => {
    test('calls them at the gateway as the user, and shows the model their results as data', async () => {
      const user = newUser();
      const since = lab.gateway.requests.length;
      const message = lab.scripted(
        {
          text: 'Hm. ',
          calls: [
            { id: 'c1', name: 'look_up', arguments: { q: 1 } },
            { id: 'c2', name: 'change_it', arguments: {} },
          ],
        },
        { text: 'Well.' },
      );
      const turn = await lab.accept(user, { message });
      const result = await lab.run(turn, lab.agent());
      expect(result).toMatchObject({ kind: 'done', data: { content: 'Hm. Well.', iterations: 2 } });
      const [read] = lab.gatewayCalls('look_up', since);
      const [write] = lab.gatewayCalls('change_it', since);
      expect(JSON.parse(read?.body ?? '')).toEqual({ q: 1 });
      expect(read?.headers).toMatchObject({ 'x-trace-id': 'trace_of_the_turn' });
      expect(readTurnToken(lab.sealer, read?.headers.authorization?.slice('Bearer '.length) ?? '')).toMatchObject({
        jobId: turn.jobId,
        caller: user,
      });
      // Only a call with an effect has a key under which the effect happens once.
      expect([read?.headers['idempotency-key'], write?.headers['idempotency-key']]).toEqual([undefined, `${turn.jobId}:c2`]);
      const [, second] = lab.model.asked(message);
      expect(second?.texts).toContainEqual('<tool_result>\n{"from":"look_up"}\n</tool_result>');
      expect((await lab.outputTypes(turn.jobId)).filter((type) => type !== 'content')).toEqual([
        'thinking',
        'tool_call',
        'tool_call',
        'step',
        'tool_result',
        'tool_result',
        'thinking',
        'step',
      ]);
      expect(await lab.storedTurn(turn.jobId)).toMatchObject({
        steps: [
          { calls: [{ id: 'c1' }, { id: 'c2' }], results: [{ id: 'c1', result: { from: 'look_up' } }, { id: 'c2' }] },
          { text: 'Well.' },
        ],
      });
    });

    test.each([
      [
        'an error of the tool',
        { name: 'look_up', arguments: {} },
        { status: 'error', error: { code: 'RESOURCE_NOT_FOUND', message: 'There is none', retryable: false } },
      ],
      [
        'arguments that are no JSON',
        { name: 'change_it', arguments: '{"a":' },
        { status: 'error', error: { code: 'INVALID_PARAMS', message: 'the arguments are not valid JSON', retryable: false } },
      ],
      ['a tool that does not exist', { name: 'no_such_tool', arguments: {} }, { status: 'unknown_tool' }],
      [
        'a tool of a skill that is not in use',
        { name: 'alpha_tool', arguments: {} },
        { status: 'error', error: { code: 'PERMISSION_DENIED' } },
      ],
    ])('goes on after %s', async (...row) => {
      const [, call, expected] = row;
      const error = { code: 'RESOURCE_NOT_FOUND', message: 'There is none', retryable: false };
      lab.answers.set('look_up', jsonAnswer(404, { success: false, error, metadata: toolMetadata }));
      const turn = await lab.accept(newUser(), { message: lab.scripted({ calls: [call] }, { text: 'I could not.' }) });
      expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'I could not.' } });
      lab.answers.delete('look_up');
      expect((await lab.outputs(turn.jobId)).find(({ type }) => type === 'tool_result')).toMatchObject({ result: expected });
    });

    test('has the tools of the skill that it chose, and keeps them in the next turn of the conversation', async () => {
      const user = newUser();
      const agent = lab.agent();
      const conversation_id = randomUUID();
      const message = lab.scripted(
        { calls: [{ name: 'use_skill', arguments: { skills: ['alpha'], topic: 'self' } }] },
        { calls: [{ name: 'alpha_tool', arguments: {} }] },
        { text: 'Done.' },
      );
      await lab.run(await lab.accept(user, { message, conversation_id }), agent);
      const [before, after] = lab.model.asked(message);
      expect(before?.tools).not.toContain('alpha_tool');
      expect(after?.tools).toContain('alpha_tool');
      expect(after?.system).toContain('Instructions of alpha.');
      const next = lab.scripted({ text: 'Still here.' });
      await lab.run(await lab.accept(user, { message: next, conversation_id }), agent);
      expect(lab.model.asked(next)[0]?.tools).toContain('alpha_tool');
    });

    test('remembers the birth of a chart for the next conversation, and the profile from the start', async () => {
      const user = newUser();
      const agent = lab.agent();
      lab.answers.set(
        'user_profile_lookup',
        jsonAnswer(200, { success: true, data: { user_id: 'u', age: 36, last_updated: 'x' }, metadata: toolMetadata }),
      );
      const message = lab.scripted(
        { calls: [{ name: 'use_skill', arguments: { skills: ['alpha'], topic: 'self' } }] },
        { calls: [{ name: 'show_bazi_chart', arguments: { birth_date: '1990-05-20' } }] },
        { text: 'Your chart.' },
      );
      await lab.run(await lab.accept(user, { message }), agent);
      lab.answers.delete('user_profile_lookup');
      await eventually(() => lab.database.skillData.findFirst({ where: { tenantId: user.tenantId, skill: 'alpha' } }), {
        what: 'skill data',
      });
      const next = lab.scripted({ text: 'Welcome back.' });
      await lab.run(await lab.accept(user, { message: next }), lab.agent());
      expect(lab.model.asked(next)[0]?.system).toContain('<skill_data>\n{"alpha":{"birth_date":"1990-05-20"}}\n</skill_data>');
      expect(lab.model.asked(message)[0]?.system).toContain('<profile>\n{"age":36}\n</profile>');
    });
  });

  test('several skills are analysed by an agent each; one that fails does not fail the others, and all tokens count', async () => {
    const user = newUser();
    const message = `message ${randomUUID()}`;
    const usage = { input: 10, output: 1 };
    const isOf = (skill: string) => (request: { readonly system: string; readonly texts: readonly string[] }) =>
      request.system.includes(`只从技能 ${skill}`) && request.texts.some((text) => text.includes(message));
    lab.model.on(
      message,
      { calls: [{ name: 'use_skill', arguments: { skills: ['alpha', 'beta'], topic: 'self' } }], usage },
      { text: 'Together.', usage },
    );
    lab.model.on(isOf('alpha'), { calls: [{ name: 'alpha_tool', arguments: {} }], usage }, { text: 'Alpha says so.', usage });
    lab.model.on(isOf('beta'), { status: 400 });
    const turn = await lab.accept(user, { message });
    expect(await lab.run(turn, lab.agent())).toMatchObject({
      kind: 'done',
      data: { content: 'Together.', iterations: 2, usage: { input_tokens: 40, output_tokens: 4 } },
    });
    expect((await lab.outputs(turn.jobId)).find(({ type }) => type === 'tool_result')).toMatchObject({
      result: {
        status: 'success',
        analyses: [
          { skill: 'alpha', content: 'Alpha says so.' },
          { skill: 'beta', error: 'The model failed while answering' },
        ],
      },
    });
    // A sub-agent reads; it neither changes anything nor chooses skills.
    const tools = lab.model.requests.filter(isOf('beta')).flatMap((request) => request.tools);
    expect(tools).toContain('beta_tool');
    expect(tools.filter((name) => ['change_it', 'use_skill'].includes(name))).toEqual([]);
    expect(await lab.quota.usage(user)).toMatchObject({ tokens: 44 });
  });

  test('of a guest has the tools of guests, one skill at a time, nothing about a user, and no row in the database', async () => {
    const guest = newGuest();
    const agent = lab.agent();
    const conversation_id = randomUUID();
    const since = lab.gateway.requests.length;
    const message = lab.scripted(
      { calls: [{ name: 'use_skill', arguments: { skills: ['alpha', 'beta'], topic: 'self' } }] },
      { text: 'One at a time.' },
    );
    const turn = await lab.accept(guest, { message, conversation_id, mode: 'guest' });
    expect(await lab.run(turn, agent)).toMatchObject({ kind: 'done', data: { content: 'One at a time.' } });
    expect(lab.model.asked(message)[0]?.tools.toSorted()).toEqual(['search_knowledge', 'show_insight', 'use_skill']);
    expect((await lab.outputs(turn.jobId)).find(({ type }) => type === 'tool_result')).toMatchObject({
      result: { status: 'error', error: { code: 'PERMISSION_DENIED' } },
    });
    expect(lab.gatewayCalls('user_profile_lookup', since)).toEqual([]);
    expect(await lab.storedTurn(turn.jobId)).toBeNull();
    const next = lab.scripted({ text: 'Yes.' });
    await lab.run(await lab.accept(guest, { message: next, conversation_id, mode: 'guest' }), agent);
    expect(lab.model.asked(next)[0]?.texts).toContain('One at a time.');
  });

  test('of a guest who sends the conversation id of another guest shows the model nothing of it', async () => {
    const agent = lab.agent();
    const conversation_id = randomUUID();
    const owner = newGuest();
    const say = async (guest: typeof owner, text: string) => {
      const message = lab.scripted({ text });
      await lab.run(await lab.accept(guest, { message, conversation_id, mode: 'guest' }), agent);
      return lab.model.asked(message)[0]?.texts;
    };
    await say(owner, 'A secret.');
    expect(await say(newGuest(), 'What is there?')).not.toContain('A secret.');
    const texts = await say(owner, 'Welcome back.');
    expect(texts).toContain('A secret.');
    expect(texts).not.toContain('What is there?');
  });
});
