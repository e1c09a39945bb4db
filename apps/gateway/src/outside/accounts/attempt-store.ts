import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import type { AccountName } from '#lib/accounts';
import type { Database } from '#lib/platform';
import { Stores } from '../../stores.js';

export type AttemptRow = NonNullable<Awaited<ReturnType<Database['connectionAttempt']['findUnique']>>>;

/** How long a user has to connect an account, from the first step on, in ms. */
export const attemptMs = 600_000;
/**
 * Of one user, at the same time.
 * @limit a tenant: accounts that a user has begun to connect; RATE_LIMITED
 */
const mostOpen = 50;
const keptMs = 3_600_000;

export interface NewAttempt extends AccountName {
  readonly scopes: readonly string[];
  readonly returnTo: string | null;
}

/** What the browser brings back. */
export interface BroughtBack {
  readonly state: string;
  /** Of its cookie. */
  readonly browser: string;
}

/** Whether its user can go on with it. */
export function isOpen({ usedAt, expiresAt }: AttemptRow): boolean {
  return usedAt === null && expiresAt.getTime() > Date.now();
}

/** A random name that nobody guesses. */
export function secretName(): string {
  return randomBytes(32).toString('base64url');
}

/** Users who are about to connect an account. Whoever reads the table can go on with none of them: what names them is hashed. */
@Injectable()
export class AttemptStore {
  constructor(private readonly stores: Stores) {}

  /** @returns the token of the address that goes on with it; null where the user has too many open */
  async create({
    tenantId,
    owner,
    provider,
    scopes,
    returnTo,
  }: NewAttempt): Promise<{ readonly token: string; readonly expiresAt: Date } | null> {
    const { connectionAttempt } = this.stores.database;
    const now = Date.now();
    await connectionAttempt.deleteMany({ where: { expiresAt: { lt: new Date(now - keptMs) } } });
    const isOpen = { tenantId, owner, usedAt: null, expiresAt: { gt: new Date(now) } };
    if ((await connectionAttempt.count({ where: isOpen })) >= mostOpen) return null;
    const [token, expiresAt] = [secretName(), new Date(now + attemptMs)];
    await connectionAttempt.create({
      data: { tenantId, owner, provider, scopes: [...scopes], returnTo, beginHash: hashOf(token), expiresAt },
    });
    return { token, expiresAt };
  }

  /** Also one that was used or is over, see `isOpen`. */
  async byToken(token: string): Promise<AttemptRow | null> {
    return this.stores.database.connectionAttempt.findUnique({ where: { beginHash: hashOf(token) } });
  }

  /** Sends a browser on its way: an earlier one of the same attempt cannot come back any more. @returns false when it was used meanwhile */
  async send({ id }: AttemptRow, { state, browser, verifier }: BroughtBack & { readonly verifier: string }): Promise<boolean> {
    const stateHash = hashOf(state);
    const { count } = await this.stores.database.connectionAttempt.updateMany({
      where: { id, usedAt: null },
      data: { stateHash, browserHash: hashOf(browser), verifier: this.stores.sealer.sealText(verifier, verifierPurpose(stateHash)) },
    });
    return count > 0;
  }

  /** Uses an attempt up by its state. Null where it was used, is over, or another browser began it: then nothing is used up. */
  async use({ state, browser }: BroughtBack): Promise<{ readonly row: AttemptRow; readonly verifier: string } | null> {
    const stateHash = hashOf(state);
    const [row] = await this.#used({ stateHash, browserHash: hashOf(browser) });
    if (!row || row.verifier === null) return null;
    return { row, verifier: this.stores.sealer.openText(row.verifier, verifierPurpose(stateHash)) };
  }

  /** The same by the token, for one that no provider comes back to. */
  async useToken(token: string): Promise<AttemptRow | null> {
    const [row] = await this.#used({ beginHash: hashOf(token) });
    return row ?? null;
  }

  async #used(
    where: { readonly stateHash: string; readonly browserHash: string } | { readonly beginHash: string },
  ): Promise<readonly AttemptRow[]> {
    const now = new Date();
    return this.stores.database.connectionAttempt.updateManyAndReturn({
      where: { ...where, usedAt: null, expiresAt: { gt: now } },
      data: { usedAt: now },
    });
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function verifierPurpose(stateHash: string): string {
  return `verifier of ${stateHash}`;
}
