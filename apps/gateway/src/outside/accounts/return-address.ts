import { Refusal } from '#lib/contracts';
import type { ProviderConfig } from '#lib/accounts';

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

interface AllowedPlaces {
  readonly config: ProviderConfig;
  /** Of the gateway. */
  readonly place: string;
  /** Whether programs on the machine of a developer may be returned to. */
  readonly allowsLoopback: boolean;
}

/** Whether a browser may be sent there: an open redirect would lend the gateway's name to any page. Throws INVALID_PARAMS. */
export function checkReturnTo(returnTo: string, { config, place, allowsLoopback }: AllowedPlaces): string {
  const url = new URL(returnTo);
  const origins = [place, ...(config.return_origins ?? [])].map((one) => new URL(one).origin);
  const isAllowed = origins.includes(url.origin) || (allowsLoopback && loopback.test(url.hostname));
  if (isAllowed && url.username === '' && url.password === '') return url.href;
  const message = 'must have one of the return_origins of its provider';
  throw new Refusal('INVALID_PARAMS', `Parameter 'return_to' ${message}`, { details: [{ path: 'return_to', message }] });
}

/** The address with what became of it in the query. */
export function withOutcome(returnTo: string, outcome: Readonly<Record<string, string>>): string {
  const url = new URL(returnTo);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.href;
}
