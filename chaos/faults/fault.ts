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
  /** Invocations in flight when it struck. */
  readonly hit: number;
}

export interface Fault {
  /** Of the reliability specification, with the variant after a point. */
  readonly id: string;
  readonly title: string;
  /** Brings calls in flight, strikes, and heals. */
  readonly inject: (scene: Scene) => Promise<Injected>;
}

/** 20 are wanted; some may be answered at the last moment. */
export const enoughHits = 26;
