// Every process of a system comes back as another version, one after the other, under load.
import { Client } from 'pg';
import { print } from '#lib/command-line';
import { eventually, type AppProcess, type ModelServer } from '#lib/testing';
import { wantedHits } from '../checker/run-quality.js';
import type { Fault, Injected, Scene } from '../faults/fault.js';
import { runningOf, untilRunning } from '../faults/running.js';
import type { LabOptions } from '../lab.js';
import { cancelled, effect, servedEffect, slowRead, steps, type CallPlan } from '../load/plans.js';
import { startUserWorker } from '../user-workers.js';
import { Chats } from './chats.js';
import { faultsOfDoors, toolsAt } from './doors.js';
import { migrateTo, type Version } from './version.js';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly to: Version;
  /** The order of the runbook: workers first on the way up, gateways first on the way back. */
  readonly order: (scene: Scene) => readonly AppProcess[];
}

const burstSize = 40;
const mostBursts = 4;
const slowUpstreamMs = 3_000;
const kinds: readonly (() => CallPlan)[] = [effect, () => steps(30, 100), servedEffect, slowRead, () => cancelled(1_500)];

/** One system that begins with the older version: up, back, and up again. */
export class Replacing {
  readonly #old: Version;
  readonly #new: Version;
  #now: Version;

  readonly #model: ModelServer;

  constructor({ old, next, model }: { readonly old: Version; readonly next: Version; readonly model: ModelServer }) {
    this.#model = model;
    this.#old = old;
    this.#new = next;
    this.#now = old;
  }

  get lab(): LabOptions {
    return {
      root: () => this.#now.root,
      more: [
        {
          main: 'dist/apps/agent-worker/src/main.js',
          env: { MODEL: 'scripted', MODEL_BASE_URL: this.#model.url, MODEL_API_KEY: 'key-of-the-provider' },
        },
      ],
      migrate: async (databaseUrl) => {
        await emptied(databaseUrl);
        migrateTo(this.#old, databaseUrl);
      },
    };
  }

  get faults(): readonly Fault[] {
    const workersFirst: Step['order'] = ({ lab: { system } }) => [...system.more, ...system.workers, ...system.gateways];
    const gatewaysFirst: Step['order'] = (scene) => workersFirst(scene).toReversed();
    const [older, newer] = [this.#old.name, this.#new.name];
    const way: readonly Step[] = [
      { id: 'up', title: `${older} → ${newer}`, to: this.#new, order: workersFirst },
      { id: 'back', title: `${newer} → ${older}`, to: this.#old, order: gatewaysFirst },
      { id: 'again', title: `${older} → ${newer}`, to: this.#new, order: workersFirst },
    ];
    return way.map((step) => ({ id: step.id, title: step.title, inject: async (scene) => this.#replace(step, scene) }));
  }

  async #replace({ id, to, order }: Step, scene: Scene): Promise<Injected> {
    const { lab, load } = scene;
    await using workers = new AsyncDisposableStack();
    for (const { url } of lab.system.gateways) await workers.use(await startUserWorker(lab, url)).servedAt(url);
    const talker = await lab.system.caller({ tier: 'vip' });
    const chats = new Chats(
      lab.system.gateways.map(({ url }) => talker.at(url)),
      this.#model,
    );
    workers.use(chats);
    const before = await toolsAt(scene);
    const injectedAt = Date.now();
    if (to === this.#new) migrateTo(to, lab.postgres.url);
    this.#now = to;
    const hits: number[] = [];
    const bursts: ReturnType<typeof load.burst>[number][] = [];
    const findings: string[] = [];
    for (const app of order(scene)) {
      let running = 0;
      // On a slow machine the first calls end before the last begin, so there are more until enough of them run at once.
      for (let times = 0; times < mostBursts && running < wantedHits; times++) {
        const burst = load.burst(Array.from({ length: burstSize }, (_, number) => (kinds[number % kinds.length] ?? effect)()));
        for (const log of burst) if (log.kind === 'effect') lab.ledger.script(log.id, { kind: 'delay', ms: slowUpstreamMs });
        bursts.push(...burst);
        await untilRunning(burst, lab.ledger);
        running = runningOf(bursts, lab.ledger);
      }
      hits.push(running);
      await app.restart();
      findings.push(...(await faultsOfDoors(scene)));
    }
    // The users' workers stay until all calls have ended: without them their tool would be gone.
    await eventually(() => bursts.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls of the bursts' });
    const after = await toolsAt(scene);
    const gone = [...before].filter((tool) => !after.has(tool));
    if (to === this.#new) findings.push(...gone.map((tool) => `${tool} is not served any more`));
    findings.push(...chats.wrong, ...(chats.answered === 0 ? ['no turn of a chat was answered'] : []));
    print(
      `          ${id}: ${before.size} tools before, ${after.size} after; ${chats.answered} turns of chats answered whole, ${chats.refused} refused`,
    );
    return { injectedAt, healedAt: Date.now(), hit: Math.min(...hits), findings: [...new Set(findings)] };
  }
}

/** A new embedded database may have the present schema. */
async function emptied(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await client.end();
}
