import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, ModelServer, startTimeoutMs, type AppProcess, type HttpCaller } from '#lib/testing';
import { openChat, readChat, scripted } from '../chat-system.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';

// A silent worker's turn is given to another after its lock and a check: some twenty seconds.
const patienceMs = 90_000;

describe('a turn whose process dies', () => {
  let lab: LabSystem;
  let model: ModelServer;
  let agent: AppProcess;
  let user: HttpCaller;
  let skills: string;

  beforeAll(async () => {
    skills = await mkdtemp(join(tmpdir(), 'invoq-skills-'));
    for (const [name, tools] of [
      ['core', 'lab_effect, lab_steps'],
      ['other', ''],
    ] as const) {
      await mkdir(join(skills, name));
      await writeFile(join(skills, name, 'SKILL.md'), `---\nname: ${name}\ndescription: For tests\ntools: [${tools}]\n---\nText.\n`);
    }
    model = await ModelServer.start();
    const env = { MODEL: 'scripted', MODEL_BASE_URL: model.url, SKILLS_DIR: skills };
    lab = await startLabSystem({ gateways: 2, more: [{ main: 'dist/apps/agent-worker/src/main.js', env }] });
    const [first] = lab.system.more;
    if (!first) throw new Error('no agent');
    agent = first;
    user = await lab.system.caller();
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    await rm(skills, { recursive: true, force: true });
  });
  const restart = async () => {
    await lab.system.killWorkers(agent);
    await agent.start();
  };

  test(
    'goes on from its last finished step, and makes no effect twice',
    async () => {
      const order = `recovered-${Date.now()}`;
      const message = scripted(
        model,
        {
          text: 'First. ',
          calls: [
            { name: 'lab_effect', arguments: { order } },
            { name: 'lab_steps', arguments: { order: `${order}-slow`, steps: 20, step_ms: 100 } },
          ],
        },
        { text: 'Second.' },
      );
      await using stream = await openChat(user, { message });
      await eventually(() => lab.ledger.of(order).effects.length === 1, { what: 'the effect' });
      await restart();
      const said = readChat(stream.headers, await stream.rest(patienceMs));
      expect(said.text).toBe('First. Second.');
      expect(said.error).toBeUndefined();
      expect(said.chunks.filter(({ type }) => type === 'tool-input-available')).toHaveLength(2);
      expect(said.chunks.filter(({ type }) => type === 'tool-output-available')).toHaveLength(2);
      expect(lab.ledger.of(order).effects).toHaveLength(1);
      expect(model.asked(message)).toHaveLength(2);
    },
    patienceMs,
  );

  test(
    'asks the model again when nothing of its answer had come',
    async () => {
      const message = scripted(model, { text: 'never heard', delayMs: 60_000 }, { text: 'Heard.' });
      await using stream = await openChat(user, { message });
      await eventually(() => model.asked(message).length === 1);
      await restart();
      expect(readChat(stream.headers, await stream.rest(patienceMs)).text).toBe('Heard.');
    },
    patienceMs,
  );

  test(
    'ends as agent-error when it was cut off between two words, and the conversation stays usable',
    async () => {
      const message = scripted(
        model,
        { text: ['Half ', ...Array.from({ length: 600 }, () => 'a word ')], pieceMs: 100 },
        { text: 'Never asked.' },
      );
      await using stream = await openChat(user, { message });
      for (let event = await stream.next(); event; event = await stream.next()) if (JSON.stringify(event.data).includes('Half')) break;
      await restart();
      const rest = await stream.rest(patienceMs);
      expect(rest.at(-1)).toMatchObject({ event: 'error', data: { type: 'agent-error', message: expect.stringContaining('ask again') } });
      expect(model.asked(message)).toHaveLength(1);
      const next = scripted(model, { text: 'Here.' });
      await using again = await openChat(user, { message: next, conversation_id: stream.headers.get('x-conversation-id') });
      expect(readChat(again.headers, await again.rest()).text).toBe('Here.');
    },
    patienceMs,
  );

  test('survives the gateway that its reader was at', async () => {
    const [first, second] = lab.system.gateways;
    if (!first || !second) throw new Error('two gateways are needed');
    const message = scripted(model, { text: ['one ', 'two ', 'three ', 'four'], pieceMs: 700 });
    const stream = await openChat(user.at(second.url), { message, conversation_id: crypto.randomUUID() });
    const id = stream.headers.get('x-conversation-id');
    await stream.take(4);
    await second.kill();
    await using resumed = await user.stream(`/chat/v5/stream/${id}/stream`);
    expect(readChat(resumed.headers, await resumed.rest()).text).toBe('one two three four');
  });
});
