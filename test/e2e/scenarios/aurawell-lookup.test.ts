import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { activityLevels } from '../activity-levels.js';
import {
  completeProfile,
  jobListShape,
  nativeShape,
  otherProfile,
  startSystem,
  startTimeoutMs,
  type HttpCaller,
  type System,
} from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const route = '/aurawell/user_profile_lookup';

describe('UserProfileLookup', () => {
  let system: System;
  /** May read every user of the tenant. */
  let reader: HttpCaller;
  /** May read user_001 alone. */
  let own: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    reader = await system.caller({ userId: null, scopes: ['tools:read', 'profile:read:any'] });
    own = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(
    ['AW-02', 'AW-04', 'AW-05', 'AW-06', 'AW-08', 'AW-10', 'AW-11', 'AW-12', 'AW-13'],
    'answers a profile in exactly the documented keys and types',
    async () => {
      const reply = await own.post(route, { user_id: 'user_001' });
      expect(reply.status).toBe(200);
      expect(reply.as(nativeShape)).toEqual({ status: 'success', error_code: null, message: expect.any(String), data: completeProfile });
      expect(reply.headers.get('x-trace-id')).toMatch(/^trace_\d{8}_[0-9a-f]{12}$/);
    },
  );

  verifies(['AW-01'], 'is reached by its documented name too', async () => {
    for (const name of ['UserProfileLookup', 'userprofilelookup']) {
      expect((await own.post(`/aurawell/${name}`, { user_id: 'user_001' })).as(nativeShape).data).toEqual(completeProfile);
      expect((await own.call(name, { user_id: 'user_001' })).envelope.metadata.tool_name).toBe('user_profile_lookup');
    }
  });

  verifies(['AW-07', 'AW-10', 'AW-11', 'AW-12'], 'gives gender other, and empty lists where nothing is known', async () => {
    const { data } = (await reader.post(route, { user_id: 'user_other' })).as(nativeShape);
    expect(data).toEqual(otherProfile);
    expect(data).toMatchObject({ gender: 'other', health_goals: [], medical_conditions: [], dietary_restrictions: [] });
  });

  verifies(['AW-09', 'AW-10'], 'gives every activity level and other goals as they are stored', async () => {
    for (const activity_level of activityLevels) {
      const user_id = `user_${activity_level}`;
      await system.tenant.addProfile({ ...completeProfile, user_id, activity_level, health_goals: ['sleep better', '健康'] });
      expect((await reader.post(route, { user_id })).as(nativeShape).data).toEqual({
        ...completeProfile,
        user_id,
        activity_level,
        health_goals: ['sleep better', '健康'],
      });
    }
    await expect(system.tenant.addProfile({ ...completeProfile, user_id: 'user_wrong', activity_level: 'lightly_active' })).rejects.toThrow(
      'lightly_active',
    );
  });

  verifies(['AW-04'], 'refuses everything that is not a user id', async () => {
    for (const params of [
      {},
      { user_id: '' },
      { user_id: 12 },
      { user_id: null },
      { user_id: ['user_001'] },
      { user_id: { not: null } },
      { user_id: 'x'.repeat(129) },
      [],
      'user_001',
      null,
      7,
    ]) {
      const reply = await own.post(route, params);
      expect({ params, status: reply.status, body: reply.body }).toMatchObject({
        params,
        status: 400,
        body: { status: 'error', data: null, error_code: 'INVALID_INPUT', message: expect.stringMatching(/./) },
      });
      reply.as(nativeShape);
    }
  });

  verifies(['AW-14', 'AW-40', 'TU-115'], 'answers USER_NOT_FOUND for nobody, after one attempt', async () => {
    const reply = await reader.post(route, { user_id: 'user_999' });
    expect(reply.status).toBe(404);
    expect(reply.as(nativeShape)).toMatchObject({
      status: 'error',
      data: null,
      error_code: 'USER_NOT_FOUND',
      message: expect.stringContaining('user_999'),
    });
    const refused = expectRefusal(await reader.call('user_profile_lookup', { user_id: 'user_999' }), {
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
      native: 'USER_NOT_FOUND',
    });
    expect([refused.metadata.attempts, refused.error.retryable]).toEqual([1, false]);
  });

  verifies(
    ['AW-16', 'TU-116', 'TU-61'],
    'answers PERMISSION_DENIED for others, whether they exist or not, and makes no job of it',
    async () => {
      const before = (await own.get('/jobs')).as(jobListShape).jobs.length;
      const answers = [];
      for (const user_id of ['user_other', 'user_999']) {
        const reply = await own.post(route, { user_id });
        expect(reply.status).toBe(403);
        const answer = reply.as(nativeShape);
        expect(answer).toMatchObject({ status: 'error', data: null, error_code: 'PERMISSION_DENIED' });
        answers.push(answer);
        expectRefusal(await own.call('user_profile_lookup', { user_id }), {
          status: 403,
          code: 'PERMISSION_DENIED',
          native: 'PERMISSION_DENIED',
        });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect((await own.get('/jobs')).as(jobListShape).jobs).toHaveLength(before);
    },
  );

  test('keeps tenants apart, however much a key may', async () => {
    await using elsewhere = await startSystem({ inProcess, workers: 0, gateways: 0 });
    const stranger = (await system.caller({ userId: null, scopes: ['*'] })).with({
      authorization: `Bearer ${await elsewhere.tenant.key({ userId: null, scopes: ['*'] })}`,
    });
    await system.tenant.addProfile({ ...completeProfile, user_id: 'user_here_only' });
    expect((await reader.post(route, { user_id: 'user_here_only' })).status).toBe(200);
    expect((await stranger.post(route, { user_id: 'user_here_only' })).as(nativeShape)).toMatchObject({ error_code: 'USER_NOT_FOUND' });
  });

  test('answers a tool of no AuraWell document in the same four keys', async () => {
    const reply = await own.post('/aurawell/no_such_tool', {});
    expect(reply.status).toBe(404);
    expect(reply.as(nativeShape)).toMatchObject({ status: 'error', data: null, error_code: 'TOOL_NOT_FOUND' });
  });
});
