import type { CallKind, Loss } from '../history/history.js';
import type { Lab, LabOptions } from '../lab.js';
import type { Client } from '../load/client.js';
import type { Load } from '../load/load.js';
import type { Random } from '../random.js';

/** In this time every gateway knows of a new budget or flow. What one accepts before is not bounded by it. */
export const toldMs = 2_000;

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
  /** See FaultRecord. */
  readonly loss?: Loss;
  /** What was not as promised. */
  readonly findings?: readonly string[];
}

export interface Fault {
  /** Of the reliability specification, with the variant after a point. */
  readonly id: string;
  readonly title: string;
  /** Starts calls, injects the fault while they run, and heals it. */
  readonly inject: (scene: Scene) => Promise<Injected>;
  /** See FaultRecord. */
  readonly mayFail?: readonly CallKind[];
  /** It needs a system of its own: it loses what others still look for, or needs other stores. */
  readonly ownLab?: LabOptions;
  /** Why this machine cannot inject it; null when it can. */
  readonly obstacle?: () => Promise<string | null> | string | null;
}

/** Required are 20. Some calls may be answered just before the fault. */
export const enoughHits = 26;

/** For faults that may strike one call twice: any may fail, and none may be lost or done twice. */
export const anyCall: readonly CallKind[] = ['effect', 'calc', 'stream', 'async', 'lookup', 'read'];
