// A turn whose skill has five hundred tools: its model is shown a search in their place, and calls what it finds.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { manyNames, newUser, startTurnLab } from './test-turns.js';

describe('a turn with more tools than a model is shown', () => {
  let lab: Awaited<ReturnType<typeof startTurnLab>>;
  beforeAll(async () => {
    lab = await startTurnLab();
  });
  afterAll(async () => lab[Symbol.asyncDispose]());

  const uses = { calls: [{ name: 'use_skill', arguments: { skills: ['gamma'], topic: 'self' } }] };
  const results = async (jobId: string) =>
    (await lab.outputs(jobId)).flatMap((output) => (output.type === 'tool_result' ? [JSON.stringify(output.result)] : []));

  test('searches, and calls what it found, by either name', async () => {
    const message = lab.scripted(
      uses,
      { calls: [{ name: 'search_tools', arguments: { query: 'tool_321' } }] },
      { calls: [{ name: 'call_tool', arguments: { name: 'crm__tool_321', arguments: { a: 1 } } }] },
      { calls: [{ name: 'crm__tool_322', arguments: {} }] },
      { text: 'Done.' },
    );
    const turn = await lab.accept(newUser(), { message });
    expect(await lab.run(turn, lab.agent())).toMatchObject({ kind: 'done', data: { content: 'Done.' } });
    const [before, after] = lab.model.asked(message);
    expect(before?.tools).toContain('look_up');
    expect(after?.tools).toEqual(expect.arrayContaining(['use_skill', 'search_tools', 'call_tool']));
    expect(after?.tools.filter((name) => manyNames.includes(name))).toEqual([]);
    const [, found, called, directly] = await results(turn.jobId);
    expect(found).toContain('"name":"crm__tool_321"');
    expect(called).toContain('"from":"crm__tool_321"');
    expect(directly).toContain('"from":"crm__tool_322"');
  });

  test('reads in words what it did wrong, and calls nothing that its skill has not', async () => {
    const message = lab.scripted(
      uses,
      { calls: [{ name: 'search_tools', arguments: {} }] },
      { calls: [{ name: 'search_tools', arguments: { query: 'nothing like it' } }] },
      { calls: [{ name: 'call_tool', arguments: { name: 'beta_tool', arguments: {} } }] },
      { calls: [{ name: 'call_tool', arguments: { name: 'crm__tool_1', arguments: 'a' } }] },
      { calls: [{ name: 'call_tool', arguments: { name: 'no_such_tool', arguments: {} } }] },
      { text: 'Done.' },
    );
    const turn = await lab.accept(newUser(), { message });
    await lab.run(turn, lab.agent());
    const [, empty, none, foreign, malformed, unknown] = await results(turn.jobId);
    expect(empty).toContain("'query' must say");
    expect(none).toContain('Try other words');
    expect(foreign).toContain('not available in this conversation');
    expect(malformed).toContain("'arguments' must be an object");
    expect(unknown).toContain('unknown_tool');
  });
});
