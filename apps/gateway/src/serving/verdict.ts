import { Refusal, type ServedPlace } from '#lib/contracts';

/** What became of one tool that a worker announced. */
export interface Verdict {
  readonly name: string;
  readonly version: string;
  /** `pending`: an administrator has to approve it first. */
  readonly state: 'approved' | 'pending' | 'refused';
  /** Why it was refused, or has to be approved. */
  readonly reason?: string;
  /** What makes it hard to use for a model. */
  readonly warnings: readonly string[];
}

/** A verdict, with the fingerprint of what was announced; it is empty for one that is refused. */
export interface Judged extends Verdict {
  readonly fingerprint: string;
}

/** Who announces. */
export interface Announcer {
  readonly place: ServedPlace;
  /** The public id of its key. */
  readonly keyId: string;
  /** Whether the key lets what it announces be called. */
  readonly approves: boolean;
}

/** A worker without a tool that it may ever serve would wait for nothing. */
export function refuseNothing(verdicts: readonly Judged[]): void {
  if (verdicts.some(({ state }) => state !== 'refused')) return;
  const details = verdicts.map(({ reason = '' }, index) => ({ path: `tools.${index}`, message: reason }));
  const shown = verdicts.slice(0, 5).map(({ name, version, reason }) => `${name || 'a contract'} ${version}: ${reason ?? ''}`);
  throw new Refusal('INVALID_PARAMS', `None of the tools can be served: ${shown.join('; ')}`, { details });
}

/** What may be called now or once it is approved: fingerprints by `name@version`. */
export function announcedIn(judged: readonly Judged[]): ReadonlyMap<string, string> {
  const taken = judged.filter(({ state }) => state !== 'refused');
  return new Map(taken.map(({ name, version, fingerprint }) => [`${name}@${version}`, fingerprint]));
}

/** As a worker is told it. */
export function verdictOf({ name, version, state, reason, warnings }: Judged): Verdict {
  return { name, version, state, ...(reason !== undefined && { reason }), warnings };
}
