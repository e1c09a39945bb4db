import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobListShape, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const good = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('validation', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  /** The message and details of a refusal of these parameters. */
  const faultsOf = async (params: unknown, tool = 'calc_metrics') => {
    const { error } = expectRefusal(await user.call(tool, params), { status: 400, code: 'INVALID_PARAMS', native: 'INVALID_INPUT', tool });
    expect(error.retryable).toBe(false);
    return { message: error.message, details: error.details ?? [] };
  };

  verifies(['TU-92'], 'says what is missing, of the wrong type, not in the list and unexpected, in the documented words', async () => {
    const { height_cm: _height, ...without } = good;
    expect(await faultsOf(without)).toEqual({
      message: 'Missing required parameter: height_cm',
      details: [{ path: 'height_cm', message: 'Missing required parameter: height_cm' }],
    });
    expect((await faultsOf({}, 'user_profile_lookup')).message).toBe('Missing required parameter: user_id');
    expect((await faultsOf({ ...good, height_cm: '175' })).message).toMatch(/^Parameter 'height_cm' must be number\b/);
    expect((await faultsOf({ ...good, age: '30' })).message).toMatch(/^Parameter 'age' must be integer\b/);
    expect((await faultsOf({ user_id: 12 }, 'user_profile_lookup')).message).toMatch(/^Parameter 'user_id' must be string\b/);
    expect((await faultsOf({ ...good, activity_level: 'high' })).message).toMatch(
      /^Parameter 'activity_level' must be one of \[sedentary, light, moderate, active, very_active\]/,
    );
    expect((await faultsOf({ ...good, gender: 'other' })).message).toMatch(/^Parameter 'gender' must be one of \[male, female\]/);
  });

  verifies(['TU-17', 'TU-92'], 'refuses a parameter that nobody declared, by its name', async () => {
    expect(await faultsOf({ ...good, mood: 'fine' })).toEqual({
      message: 'Unexpected parameter: mood',
      details: [{ path: 'mood', message: 'Unexpected parameter: mood' }],
    });
    for (const name of ['userId', 'tenant_id', 'status', 'attempts', 'priority', '_private', 'enable_cache', 'constructor', 'toString'])
      expect((await faultsOf({ ...good, [name]: 1 })).message).toBe(`Unexpected parameter: ${name}`);
  });

  verifies(['TU-92'], 'takes no boolean for an integer, and takes 30.0 for 30', async () => {
    expect((await faultsOf({ ...good, age: true })).message).toMatch(/^Parameter 'age' must be integer, not boolean$/);
    expect((await faultsOf({ ...good, age: 30.5 })).message).toMatch(/^Parameter 'age' must be (an )?integer/);
    const reply = await user.request('/tools/calc_metrics', {
      method: 'POST',
      raw: JSON.stringify(good).replace('"age":30', '"age":30.0'),
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.body).toMatchObject({ success: true });
  });

  test('says the bound of a range, its side and the unit of lengths', async () => {
    expect((await faultsOf({ ...good, height_cm: 99 })).message).toBe("Parameter 'height_cm' must be at least 100");
    expect((await faultsOf({ ...good, weight_kg: 301 })).message).toBe("Parameter 'weight_kg' must be at most 300");
    expect((await faultsOf({ user_id: '' }, 'user_profile_lookup')).message).toBe("Parameter 'user_id' must have at least 1 character");
    expect((await faultsOf({ user_id: 'x'.repeat(129) }, 'user_profile_lookup')).message).toBe(
      "Parameter 'user_id' must have at most 128 characters",
    );
  });

  test('lists every fault with its path, each once', async () => {
    const { details, message } = await faultsOf({ height_cm: 1, weight_kg: '70', age: 30, gender: 'x', mood: 1 });
    expect(details.map(({ path }) => path).toSorted()).toEqual(['activity_level', 'gender', 'height_cm', 'mood', 'weight_kg']);
    for (const detail of details) expect(message).toContain(detail.message);
  });

  test('quotes a hostile parameter name short and printable', async () => {
    const { message } = await faultsOf({ ...good, ['x\n\u001b[31m\u2028"<script>' + 'y'.repeat(500)]: 1 });
    for (const character of ['\n', '\u001b', '\u2028']) expect(message).not.toContain(character);
    expect(message.length).toBeLessThan(200);
  });

  test('refuses parameters that are no object', async () => {
    for (const params of [[], ['a'], 'text', 7, true, null]) expect((await faultsOf(params)).message).toMatch(/must be a JSON object/);
    expect((await user.request('/tools/calc_metrics', { method: 'POST' })).body).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
  });

  verifies(['TU-37'], 'reads numbers and booleans of a query by the schema, and names text that does not fit', async () => {
    const query = new URLSearchParams(Object.entries(good).map(([name, value]): [string, string] => [name, String(value)]));
    await using stream = await user.stream(`/tools/calc_metrics/sse?${query.toString()}`);
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: { bmi: 22.86 } } });
    for (const [name, value] of [
      ['age', '30.5'],
      ['age', 'thirty'],
      ['height_cm', ''],
      ['height_cm', '0x64'],
      ['age', ' 30'],
      ['weight_kg', '１００'],
    ] as const) {
      const wrong = new URLSearchParams(query);
      wrong.set(name, value);
      expectRefusal(await user.get(`/tools/calc_metrics/sse?${wrong.toString()}`), {
        status: 400,
        code: 'INVALID_PARAMS',
        native: 'INVALID_INPUT',
        paths: [name],
      });
    }
    expectRefusal(await user.get(`/tools/calc_metrics/sse?${query.toString()}&mood=fine`), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
      paths: ['mood'],
    });
    expectRefusal(await user.get(`/tools/calc_metrics/sse?${query.toString()}&age=31`), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
      paths: ['age'],
    });
  });

  test('takes _trace_id and debug out before it validates', async () => {
    expectSuccess((await user.call('calc_metrics', { ...good, _trace_id: 'trace_mine', debug: false })).envelope);
    expectSuccess((await user.call('calc_metrics', { ...good, _trace_id: 5, debug: 'yes' })).envelope);
  });

  verifies(['TU-104'], 'refuses an option that is neither true nor false', async () => {
    expectRefusal(await user.post('/tools/calc_metrics?enable_cache=perhaps', good), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['enable_cache'],
    });
    expectRefusal(await user.post('/tools/call', { name: 'calc_metrics', arguments: good, options: { enable_retry: 'no' } }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['enable_retry'],
    });
    expectRefusal(await user.post('/tools/call', { name: 'calc_metrics', arguments: good, options: 'fast' }), {
      status: 400,
      code: 'INVALID_PARAMS',
    });
    for (const value of ['true', 'false', '1', '0'])
      expect(
        (await user.post(`/tools/calc_metrics?enable_cache=${value}&enable_retry=${value}&enable_streaming=${value}`, good)).status,
      ).toBe(200);
  });

  verifies(['TU-61', 'TU-106'], 'enqueues nothing that it refuses', async () => {
    const ended = (await user.get('/jobs?limit=100')).as(jobListShape).jobs;
    expect(ended.filter(({ state }) => state !== 'completed')).toEqual([]);
    expect(ended.every(({ result }) => result?.success)).toBe(true);
  });
});
