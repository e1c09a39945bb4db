import type { HttpCaller, System } from '#lib/testing';
import type { ModelStub } from './clients/model-stub.js';

/** The product that is tried: a system of its own, with the workers that the rows need. */
export interface Place extends AsyncDisposable {
  readonly system: System;
  /** Belongs to no user and may do everything. */
  readonly admin: HttpCaller;
  readonly user: HttpCaller;
  /** The key of `user`. */
  readonly key: string;
  /** What clients use as their model. */
  readonly model: ModelStub;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Holds `note.txt` and `long.txt`. */
  readonly folder: string;
}
