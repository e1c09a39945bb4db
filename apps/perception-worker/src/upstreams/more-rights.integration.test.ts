// Servers that want more rights than the account of a caller has (403, `insufficient_scope`).
import { describe, expect, test } from '@jest/globals';
import { answerOf, type KeptStep } from '#lib/contracts';
import type { StepRecords } from '#lib/handlers';
import { registered } from './test-registered.js';
import { openServices, withStores } from './test-upstreams.js';
import { callAs, withoutProvidersAfterwards } from './test-user-accounts.js';

// Before the stores are closed.
withoutProvidersAfterwards();
withStores();

/** One call whose attempts share what is kept. */
function keptCall(services: ReturnType<typeof openServices>, server: string) {
  const kept = new Map<string, KeptStep>();
  const steps: StepRecords = {
    earlier: async () => new Map(kept),
    keep: async (name, step) => {
      kept.set(name, step);
      return step;
    },
    ask: null,
    now: Date.now,
  };
  return {
    attempt: async (user: string) => callAs(services, user, { server, tool: 'whoami', steps }),
    /** Of the account for which it rests. */
    answer: (action: 'accept' | 'decline') => {
      for (const [name, { kind }] of kept)
        if (kind === 'connection' && !kept.has(answerOf(name))) kept.set(answerOf(name), { kind: 'answer', data: { action } });
    },
  };
}

describe('a call for which its server wants more rights', () => {
  const wanting = (...scopes: readonly string[]) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  const allowing = async (
    services: ReturnType<typeof openServices>,
    at: Awaited<ReturnType<typeof registered>>,
    scopes: readonly string[],
  ) => at.provider.allow(services, scopes);

  test('rests for them, asks its user once, and goes on', async () => {
    await using services = openServices();
    await using at = await registered(services);
    await allowing(services, at, ['mail.*']);
    const first = await at.provider.connect('ann', ['mail.read']);
    at.server.state.wants = (token) => (token === first ? wanting('mail.read', 'mail.send') : null);
    const call = keptCall(services, at.name);
    const { result, asked } = await call.attempt('ann');
    expect(result).toMatchObject({ kind: 'resting', waits: [{ reason: 'connection' }] });
    expect(asked).toMatchObject([{ more: ['mail.read', 'mail.send'], message: expect.stringMatching(/with the rights mail\.send$/) }]);
    expect((await call.attempt('ann')).asked).toMatchObject([{ id: asked[0]?.id }]);
    await at.provider.connect('ann', ['mail.read', 'mail.send']);
    call.answer('accept');
    expect(JSON.stringify((await call.attempt('ann')).result)).toContain('you are ann');
  });

  test('ends where they are not granted, without another question', async () => {
    await using services = openServices();
    await using at = await registered(services);
    await allowing(services, at, ['mail.*']);
    await at.provider.connect('ann', ['mail.read']);
    at.server.state.wants = () => wanting('mail.send');
    const call = keptCall(services, at.name);
    expect((await call.attempt('ann')).result).toMatchObject({ kind: 'resting' });
    // The provider has given a token again, with the rights of before.
    await at.provider.connect('ann', ['mail.read']);
    call.answer('accept');
    const { result, asked } = await call.attempt('ann');
    expect(result).toMatchObject({ kind: 'refused', error: { code: 'PERMISSION_DENIED', native_code: 'SCOPES_NOT_GRANTED' } });
    expect(asked).toEqual([]);
    expect(await at.provider.stateOf('ann')).toBe('connected');
  });

  test('ends where it asks for ever more', async () => {
    await using services = openServices();
    await using at = await registered(services);
    await allowing(services, at, ['*']);
    let last = 0;
    at.server.state.wants = () => wanting(`s${last}`);
    const call = keptCall(services, at.name);
    let asks = 0;
    for (last = 1; last < 9; last++) {
      await at.provider.connect(
        'ann',
        Array.from({ length: last }, (_, n) => `s${n}`),
      );
      const { result, asked } = await call.attempt('ann');
      asks += asked.length;
      if (result.kind !== 'resting') {
        expect(result).toMatchObject({ error: { native_code: 'SCOPES_NOT_GRANTED', message: expect.stringContaining('3 times') } });
        break;
      }
      call.answer('accept');
    }
    expect(asks).toBe(3);
  });

  test.each([
    ['a right that its provider does not let servers ask for', ['mail.*'], wanting('admin'), 'SCOPES_NOT_ALLOWED', 'more_scopes'],
    ['any right, of a provider that says nothing of it', null, wanting('mail.send'), 'SCOPES_NOT_ALLOWED', 'more_scopes'],
    ['no right by name', ['*'], 'Bearer error="insufficient_scope"', 'UPSTREAM_ACCOUNT_REFUSED', 'does not say which'],
    ['a right that its account has', ['*'], wanting('mail.read'), 'UPSTREAM_ACCOUNT_REFUSED', 'wants the rights mail.read'],
  ])('is refused for %s', async (_what, allowed, challenge, literal, words) => {
    await using services = openServices();
    await using at = await registered(services);
    if (allowed) await allowing(services, at, allowed);
    await at.provider.connect('ann', ['mail.read']);
    at.server.state.wants = () => challenge;
    const { result, asked } = await at.call('ann');
    expect(result).toMatchObject({
      kind: 'refused',
      error: { code: 'PERMISSION_DENIED', native_code: literal, message: expect.stringContaining(words) },
    });
    expect(asked).toEqual([]);
  });

  test('asks for what its server wants where the tokens are for that server alone', async () => {
    await using services = openServices();
    await using at = await registered(services);
    await at.provider.allow(services, null, at.server.url);
    await at.provider.connect('ann', ['mail.read']);
    at.server.state.wants = () => wanting('mail.send');
    expect((await at.call('ann')).asked).toMatchObject([{ more: ['mail.send'] }]);
  });
});
