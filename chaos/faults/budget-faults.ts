// F48: 64 callers at the last call of a budget, at all gateways, one of which is killed. No more calls are made than it has, and what it says
// is spent is what the history has.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { budget, callSums, type Budget } from '#lib/contracts';
import { eventually, HttpCaller } from '#lib/testing';
import type { Fault, Injected, Scene } from './fault.js';
import { outage } from './in-flight.js';

export const budgetFaults: readonly Fault[] = [
  { id: 'F48', title: '64 callers at the last call of a budget; kill -9 of a gateway', inject },
];

const callers = 64;
/** Of the budget. */
const limit = 100;
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const settledWithinMs = 60_000;
const refusal = z.looseObject({ error: z.looseObject({ code: z.string() }) });

async function inject(scene: Scene): Promise<Injected> {
  const { lab, random } = scene;
  const userId = `spender-${random.integer(0, 1e9)}`;
  const { tenant, gateways } = lab.system;
  const [key, adminKey] = [
    await tenant.key({ userId, tier: 'vip', scopes: ['tools:read'] }),
    await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin'] }),
  ];
  const victim = gateways[random.integer(0, gateways.length - 1)];
  const calm = gateways.find((gateway) => gateway !== victim) ?? victim;
  if (!victim || !calm) throw new RangeError('It needs a gateway');
  const admin = new HttpCaller(calm.url, adminKey);
  const json = { user: userId, period: 'month', limit_calls: limit };
  await admin.request(`/budgets/${userId}`, { method: 'PUT', json });
  const findings: string[] = [];
  const ask = async (url: string, n: number): Promise<boolean> => {
    const input = { ...body, height_cm: 150 + (n % 90) };
    const reply = await new HttpCaller(url, key).post('/tools/calc_metrics?enable_cache=false', input, { prefer: 'respond-async' });
    if (reply.status !== 202 && refusal.safeParse(reply.body).data?.error.code !== 'QUOTA_EXCEEDED')
      findings.push(`a call was answered ${reply.status}`);
    return reply.status === 202;
  };
  const round = async (urls: readonly string[]): Promise<number> => {
    const asked = await Promise.allSettled(Array.from({ length: callers }, async (_, n) => ask(urls[n % urls.length] ?? calm.url, n)));
    return asked.filter((one) => one.status === 'fulfilled' && one.value).length;
  };
  let accepted = 0;
  const injected = await outage(scene, 5_000, async () => {
    const first = round(gateways.map(({ url }) => url));
    await victim.kill();
    accepted += await first;
    await victim.start();
  });
  // What the victim had in its hands may stay held for some minutes; all else is settled.
  const before = await settled(admin, userId);
  const left = limit - before.calls - before.reserved_calls;
  const more = (await round([calm.url])) + (await round([calm.url]));
  if (more !== left) findings.push(`${more} calls were accepted where the budget had ${left}`);
  accepted += more;
  await settled(admin, userId);
  const { counted, held, ran } = await compared(admin, userId);
  if (counted !== ran) findings.push(`the budget has ${counted} calls and room for ${held}, and the history ${ran}`);
  if (accepted > limit || ran > limit) findings.push(`${accepted} calls were accepted and ${ran} ran of ${limit}`);
  await admin.delete(`/budgets/${userId}`);
  return { ...injected, hit: injected.hit + accepted, findings };
}

/** The calls of a budget and of the history. A call is counted a moment after the history has it, on a busy machine seconds after. */
async function compared(
  admin: HttpCaller,
  name: string,
): Promise<{ readonly counted: number; readonly held: number; readonly ran: number }> {
  for (const deadline = performance.now() + settledWithinMs; ; await sleep(500)) {
    const { spent } = (await admin.get(`/budgets/${name}`)).as(budget);
    const { sums } = (await admin.get(`/usage/calls?scope=tenant&by=user&user=${name}`)).as(callSums);
    const found = { counted: spent.calls, held: spent.reserved_calls, ran: sums[0]?.calls ?? 0 };
    if (found.counted === found.ran || performance.now() > deadline) return found;
  }
}

/** Once nothing changes any more. */
async function settled(admin: HttpCaller, name: string): Promise<Budget['spent']> {
  let latest = '';
  return eventually(
    async () => {
      const { spent } = (await admin.get(`/budgets/${name}`)).as(budget);
      const was = latest;
      latest = JSON.stringify(spent);
      await sleep(4_000);
      return was === latest && spent;
    },
    { withinMs: settledWithinMs, what: 'the end of all calls' },
  );
}
