import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { SkillLibrary } from '#lib/skills';
import { CallReports, Metrics } from '#lib/transport';
import { GatewayClient, type Authority } from '../gateway-client.js';
import * as localHandlers from '../tools/local.js';
import { LocalTools } from './local-tools.js';

const skills = new SkillLibrary({ folders: ['skills'] });

/** The agent's own tools in a turn, and the lines of its log. */
function localTools() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const gateway = new GatewayClient('http://127.0.0.1:1', log);
  const reports = new CallReports(log, Date.now, new Metrics());
  const schedules = () => gateway.schedules({ token: 'unused', traceId: 't' });
  const results = () => gateway.results({ token: 'unused', traceId: 't' }, null);
  const tools = new LocalTools(Object.values(localHandlers), { skills, schedules, results }, { gateway, reports, log });
  const stop = new AbortController();
  const authority: Authority = {
    token: 't',
    caller: { tenantId: 'acme', userId: 'u', tier: 'free', scopes: [], credentialId: 'k' },
    jobId: 'inv_agent_1',
    traceId: 'trace_1',
    signal: stop.signal,
  };
  const run = (name: string, input: Readonly<Record<string, unknown>>) => tools.run({ id: 'c1', name, arguments: input }, authority);
  return { tools, run, lines, stop };
}

describe('a tool of the agent', () => {
  test('gives its data, and has a call record like every call', async () => {
    const { run, lines } = localTools();
    expect(await run('show_insight', { title: 'T', content: 'C' })).toMatchObject({ ok: true, data: { status: 'shown', type: 'insight' } });
    expect(lines).toMatchObject([
      { event: 'call-end', trace_id: 'trace_1', tool_name: 'show_insight', tenant_id: 'acme', user_id: 'u', job_id: null, success: true },
    ]);
  });

  test('says what is doubtful about a birth, and nothing of it in the record', async () => {
    const { run, lines } = localTools();
    const birth = { birth_date: '1986-05-04', birth_time: '02:30', timezone: 'Asia/Shanghai' };
    for (const tool of ['show_bazi_chart', 'show_zodiac_chart'])
      expect(await run(tool, birth)).toMatchObject({ ok: true, warnings: [expect.stringContaining('never showed this time')] });
    expect(JSON.stringify(lines)).not.toMatch(/1986-05-04|02:30/);
  });

  test('masks in its record what the contract marks as personal', async () => {
    const { run, lines } = localTools();
    await run('show_bazi_chart', { birth_date: '1990-05-20' });
    expect(JSON.stringify(lines)).not.toContain('1990-05-20');
  });

  test.each([
    ['input that breaks the contract', 'show_bazi_chart', { birth_date: 'yesterday' }, 'INVALID_PARAMS'],
    ['a refusal of the tool', 'read_skill_file', { skill: 'none', file: 'x' }, 'RESOURCE_NOT_FOUND'],
  ])('answers %s with its error, which is not worth a retry', async (...row) => {
    const [, name, input, code] = row;
    const { run, lines } = localTools();
    expect(await run(name, input)).toMatchObject({ ok: false, error: { code, retryable: false } });
    expect(lines).toMatchObject([{ event: 'call-end', success: false, error_code: code }]);
  });

  test('that does not exist is an error without a record', async () => {
    const { run, lines } = localTools();
    expect(await run('no_such_tool', {})).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_FOUND' } });
    expect(lines).toEqual([]);
  });

  test('throws only the reason why the turn was stopped', async () => {
    const { run, stop } = localTools();
    stop.abort(new Error('the user has left'));
    await expect(run('show_insight', { title: 'T', content: 'C' })).rejects.toThrow('the user has left');
  });
});

test('the charts, and no other tool, ask for a birth', () => {
  const { tools } = localTools();
  const names = Object.values(localHandlers).map(({ contract }) => contract.name);
  expect(names.filter((name) => tools.asksForBirth(name)).toSorted()).toEqual(['show_bazi_chart', 'show_zodiac_chart']);
  expect(tools.asksForBirth('no_such_tool')).toBe(false);
});
