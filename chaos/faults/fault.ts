import type { Lab } from '../lab.js';
import type { Client } from '../load/client.js';
import type { Load } from '../load/load.js';
import type { Random } from '../random.js';

/** What a fault may use. */
export interface Scene {
  readonly lab: Lab;
  readonly load: Load;
  readonly client: Client;
  readonly random: Random;
}

export interface Injected {
  readonly injectedAt: number;
  readonly healedAt: number;
  /** Invocations in flight when it was injected. */
  readonly hit: number;
}

export interface Fault {
  /** Of the reliability specification, with the variant after a point. */
  readonly id: string;
  readonly title: string;
  /** Starts calls, injects the fault while they run, and heals it. */
  readonly inject: (scene: Scene) => Promise<Injected>;
}

/** Required are 20. Some calls may be answered just before the fault. */
export const enoughHits = 26;
