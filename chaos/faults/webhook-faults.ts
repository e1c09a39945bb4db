// F47: a receiver of webhooks fails each delivery once, by an answer, by none, or by a redirect, while a gateway that sends is killed. Each
// end of a call arrives all the same, signed, under one id.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { eventually, HttpCaller } from '#lib/testing';
import type { Random } from '../random.js';
import type { Fault, Injected, Scene } from './fault.js';
import { outage } from './in-flight.js';

export const webhookFaults: readonly Fault[] = [
  { id: 'F47', title: 'a receiver of webhooks fails every delivery once; kill -9 of a gateway that sends', inject },
];

/** While it fails, a webhook gets one delivery at a time. */
const jobs = 60;
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
/** A claim that a killed gateway has left, the pause before a second try, and room for a busy machine. */
const arrivedWithinMs = 60_000 + 15_000 + 45_000;
const made = z.looseObject({ secret: z.string() });
const accepted = z.looseObject({ job_id: z.string() });
const event = z.looseObject({ type: z.string(), data: z.looseObject({ job_id: z.string() }) });

async function inject(scene: Scene): Promise<Injected> {
  const { lab, random } = scene;
  await using receiver = await Receiver.start(random);
  const key = await lab.system.tenant.key({ userId: `hooked-${random.integer(0, 1e9)}`, scopes: ['tools:read', 'webhooks'] });
  const callers = lab.system.gateways.map(({ url }) => new HttpCaller(url, key));
  const [first] = callers;
  const victim = lab.system.gateways[random.integer(0, lab.system.gateways.length - 1)];
  if (!first || !victim) throw new RangeError('It needs a gateway');
  const own = 'event.data.user_id.startsWith("hooked-")';
  const reply = await first.post('/webhooks', { url: receiver.url, events: ['call.completed'], filter: own });
  receiver.secret = reply.as(made).secret;
  const jobIds: string[] = [];
  const injected = await outage(scene, 5_000, async () => {
    const call = async (n: number): Promise<void> => {
      const input = { ...body, height_cm: 150 + (n % 90) };
      const asked = await callers[n % callers.length]?.post('/tools/calc_metrics?enable_cache=false', input, { prefer: 'respond-async' });
      if (asked?.status === 202) jobIds.push(asked.as(accepted).job_id);
    };
    await Promise.all(Array.from({ length: jobs }, (_, n) => call(n)));
    await eventually(() => receiver.tries > 3, { withinMs: 30_000, what: 'tries at the receiver' });
    await victim.kill();
    await victim.start();
  });
  const isThere = () => jobIds.every((jobId) => receiver.arrived.has(jobId));
  await eventually(isThere, { withinMs: arrivedWithinMs }).catch(() => undefined);
  const missing = jobIds.filter((jobId) => !receiver.arrived.has(jobId)).length;
  return {
    ...injected,
    hit: injected.hit + jobIds.length,
    findings: [
      ...(jobIds.length === 0 ? ['no call was accepted'] : []),
      ...(missing > 0 ? [`${missing} of ${jobIds.length} ends of calls did not arrive`] : []),
      ...receiver.findings,
    ],
  };
}

/** Fails each delivery once, and verifies all of them. */
class Receiver implements AsyncDisposable {
  /** Jobs whose end has arrived. */
  readonly arrived = new Set<string>();
  readonly findings: string[] = [];
  tries = 0;
  secret = '';
  readonly #random: Random;
  /** By job the id of its delivery. */
  readonly #ids = new Map<string, string>();
  readonly #server = createServer((request, response) => void this.#take(request, response).catch(() => response.destroy()));

  private constructor(random: Random) {
    this.#random = random;
  }

  static async start(random: Random): Promise<Receiver> {
    const receiver = new Receiver(random);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server.address())}/`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    this.tries++;
    if (request.url !== '/' || request.method !== 'POST') this.findings.push(`a redirect was followed: ${request.method} ${request.url}`);
    const { job_id: jobId } = event.parse(new Webhook(this.secret).verify(sent, headers)).data;
    const id = headers['webhook-id'] ?? '';
    const known = this.#ids.get(jobId);
    this.#ids.set(jobId, id);
    if (known === undefined) return this.#fail(response);
    if (known !== id) this.findings.push(`the end of ${jobId} came under two ids`);
    this.arrived.add(jobId);
    response.writeHead(204).end();
  }

  async #fail(response: ServerResponse): Promise<void> {
    switch (this.#random.pick(['500', 'redirect', 'cut', 'late'])) {
      case '500':
        return void response.writeHead(500).end();
      case 'redirect':
        return void response.writeHead(307, { location: '/elsewhere' }).end();
      case 'cut':
        return void response.destroy();
      default:
        await sleep(1_500);
        response.writeHead(500).end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new TypeError('The receiver has no port');
  return address.port;
}
