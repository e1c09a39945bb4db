// The agent has calls made later: with the rights of its user, and no others.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { schedule, userScopes } from '#lib/contracts';
import { envelopeShape, eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { chat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { inProcess } from '../in-process.js';

describe('schedules of the agent', () => {
  let lab: ChatSystem;
  let user: HttpCaller;
  beforeAll(async () => {
    lab = await startChatSystem({ inProcess });
    user = await lab.system.caller({ tier: 'vip', scopes: [...userScopes, 'schedules'] });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
  const asked = (message: string) => JSON.stringify(lab.model.asked(message).at(-1));

  test('call a tool later in the name of the user, are listed, and are cancelled', async () => {
    const call = {
      name: 'morning',
      tool: 'calc_metrics',
      arguments: JSON.stringify(metrics),
      cron: '0 8 * * *',
      time_zone: 'Asia/Shanghai',
    };
    const begin = scripted(lab.model, { calls: [{ name: 'schedule_call', arguments: call }] }, { text: 'Every morning.' });
    expect((await chat(user, { message: begin })).text).toContain('Every morning.');
    const made = (await user.get('/schedules/morning')).as(schedule);
    expect(made).toMatchObject({ owner: `${lab.system.tenant.id}/user_001`, tool: 'calc_metrics', arguments: metrics, state: 'active' });
    expect(asked(begin)).toContain('next_at');

    const list = scripted(lab.model, { calls: [{ name: 'list_schedules', arguments: {} }] }, { text: 'One.' });
    await chat(user, { message: list });
    expect(asked(list)).toContain('morning');

    const cancel = scripted(lab.model, { calls: [{ name: 'cancel_schedule', arguments: { name: 'morning' } }] }, { text: 'Gone.' });
    await chat(user, { message: cancel });
    expect((await user.get('/schedules/morning')).status).toBe(404);
  });

  test('call once, with the rights of the user, though their turn is over', async () => {
    const at = new Date(Date.now() + 1_500).toISOString();
    const call = { name: 'once', tool: 'calc_metrics', arguments: JSON.stringify(metrics), at };
    await chat(user, { message: scripted(lab.model, { calls: [{ name: 'schedule_call', arguments: call }] }, { text: 'Later.' }) });
    const called = await eventually(
      async () => {
        const shown = (await user.get('/schedules/once')).as(schedule);
        return shown.state === 'ended' && shown.last_job_id !== null && shown;
      },
      { what: 'its one call', withinMs: 20_000 },
    );
    expect((await user.get(`/jobs/${called.last_job_id}?wait=10`)).text).toContain('bmi');
  });

  test('are tools of every door, which act for their caller', async () => {
    const call = { name: 'plain', tool: 'calc_metrics', arguments: JSON.stringify(metrics), every_ms: 3_600_000 };
    const answer = (await user.post('/tools/schedule_call', call)).as(envelopeShape);
    expect(answer).toMatchObject({ success: true, data: { name: 'plain', state: 'active' } });
    expect((await user.post('/tools/schedule_call', { ...call, name: 'plain', tool: 'no_such_tool' })).as(envelopeShape)).toMatchObject({
      success: false,
      error: { code: 'TOOL_NOT_FOUND' },
    });
    expect((await user.post('/tools/cancel_schedule', { name: 'plain' })).as(envelopeShape)).toMatchObject({
      data: { status: 'cancelled' },
    });
  });

  test('are not for callers without the scope: they have no such tools, and the agent offers none', async () => {
    const other = await lab.system.caller({ userId: 'other', tier: 'vip' });
    expect((await other.post('/tools/list_schedules', {})).status).toBe(403);
    const message = scripted(lab.model, { calls: [{ name: 'list_schedules', arguments: {} }] }, { text: 'No.' });
    await chat(other, { message });
    expect(asked(message)).toContain('not available');
    expect(JSON.stringify(lab.model.asked(message)[0])).not.toContain('schedule_call');
  });
});
