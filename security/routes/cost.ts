// What a route costs a gateway at its dearest, and what it takes for that of the allowance of whoever asks.
import { randomUUID } from 'node:crypto';
import { usageOf } from '#lib/sandbox';
import { Broken } from '#lib/testing';
import { Client } from '../world/client.js';
import { meagrePoints, type World } from '../world/world.js';
import { dearest } from './dearest.js';
import type { Route } from './route.js';

/** What a point may cost, in plain requests. Other work on the machine makes some dearer. */
const mostOfAPoint = 5;
/** Of a plain request, where none was counted. */
const leastMs = 1;
/** Requests that are measured: the system counts in steps of 10 ms. Of any that takes 2 points or more, one is refused. */
const times = 12;
const tries = 4;
/** A call takes no points. The rates of calls allow a tenth as many as of plain requests. */
const pointsOfACall = 4;
const plainRoute: Route = {
  name: 'GET /skills',
  method: 'GET',
  use: { others: 'their own' },
  target: '/skills',
  pathWith: () => null,
  body: undefined,
  isPublic: false,
};

interface Cost {
  readonly sent: number;
  readonly processorMs: number;
  /** At least so many were taken: whoever was refused in the end has taken all that there was, and was told what is owed. */
  readonly points: number;
}

/** Whoever asks most of this route: its owner, with a credential that nobody has used yet. */
async function asker({ system, secrets }: World, { use, isPublic }: Route): Promise<Client> {
  const isOperators = use.scope !== undefined && !use.isAskedByTool;
  const key = await system.tenant.key(isOperators ? { userId: null, tier: 'vip', scopes: ['*'] } : { userId: `user_${randomUUID()}` });
  const headers = isPublic ? {} : { authorization: `Bearer ${key}` };
  return new Client({ url: system.gateways[2]?.url ?? '', headers: { ...headers, ...use.headers }, mustNotLearn: secrets });
}

/** What all plain requests have taken that were measured: the longer a run, the better it is known. */
const plain = { sent: 0, processorMs: 0 };
let turn: Promise<unknown> = Promise.resolve();

/** One after the other: each would count what the others cost. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return await mine;
}

/** What the route's dearest request costs the third gateway, which few others use. */
async function costOf(route: Route, world: World): Promise<Cost> {
  const by = await asker(world, route);
  const dear = dearest[route.name]?.(world.objects);
  // What is there stays there: what changes something is asked about another thing.
  const elsewhere = route.method === 'GET' ? null : route.pathWith('none');
  const target = dear?.target ?? elsewhere ?? route.target;
  const pid = world.system.gateways[2]?.pid;
  const usedMs = (): number => usageOf(pid)?.processorMs ?? 0;
  const [started, before] = [performance.now(), usedMs()];
  const most = dear?.times ?? times;
  for (let sent = 1; ; sent++) {
    const sending = { ...(dear?.body !== undefined && { json: dear.body }), allows: [0, 500, 501, 502, 503, 504] };
    const { status, headers } = await by.send(`${route.method} ${target}`, sending);
    if (status !== 429 && sent < most) continue;
    const seconds = (performance.now() - started) / 1_000 + Number(headers.get('retry-after') ?? 0);
    const points = status === 429 ? meagrePoints.burst + seconds * meagrePoints.perSecond : sent * (dear?.isCall ? pointsOfACall : 1);
    return { sent, processorMs: usedMs() - before, points };
  }
}

/** Throws Broken where what it costs is more than what it takes pays for, beside a plain request. */
export async function mustPayForItself(route: Route, world: World): Promise<void> {
  const seen: string[] = [];
  for (let again = 0; again < tries; again++) {
    const { sent, processorMs, points } = await inTurn(async () => {
      const measured = await costOf(plainRoute, world);
      plain.sent += measured.sent;
      plain.processorMs += measured.processorMs;
      return costOf(route, world);
    });
    const requests = processorMs / Math.max(leastMs, plain.processorMs / plain.sent);
    if (requests <= points * mostOfAPoint) return;
    seen.push(`${sent} took as much as ${Math.round(requests)} plain requests, and ${Math.round(points)} points`);
  }
  throw new Broken(seen.join('; '));
}
