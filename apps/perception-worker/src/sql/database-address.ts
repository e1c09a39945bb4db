import { AddressRefused, urlViolation, type AddressRules } from '#lib/platform';

const modes = ['disable', 'require', 'verify-full'] as const;

/** Where a Postgres is, and the login there. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** `require` encrypts, and `verify-full` checks whose certificate it is as well. */
  readonly sslmode: (typeof modes)[number];
}

const example = 'postgres://user:password@host:5432/database';

/**
 * Reads an address of the form `postgres://user:password@host:5432/database?sslmode=…`. Nothing else of what libpq knows is read: some of it
 * names files of this machine. The messages never have the address in them.
 * @throws AddressRefused
 */
export function readDatabaseAddress(given: string, rules: AddressRules): DatabaseAddress {
  const url = URL.parse(given);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) throw new AddressRefused(`the address of a database is ${example}`);
  const parameters = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (parameters !== undefined)
    throw new AddressRefused(`of the parameters of its address only sslmode is known, not ${parameters.slice(0, 40)}`);
  const asked = url.searchParams.get('sslmode') ?? 'verify-full';
  const sslmode = modes.find((mode) => mode === asked);
  if (!sslmode) throw new AddressRefused(`sslmode is ${modes.join(', ')}, not ${asked.slice(0, 40)}`);
  // The rules for hosts are those of every other address, and so is how a host may be written.
  const place = URL.parse(`https://${url.hostname}`);
  if (!place || url.hostname === '' || place.pathname !== '/') throw new AddressRefused(`the address names no host: it is ${example}`);
  const fault = urlViolation(place, rules);
  if (fault !== null) throw new AddressRefused(fault);
  if (sslmode === 'disable' && !rules.allowPrivate) throw new AddressRefused('sslmode=disable sends the password in clear: leave it out');
  const user = decoded(url.username);
  if (user === '') throw new AddressRefused(`the address has no login: it is ${example}`);
  return {
    host: place.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: decoded(url.password),
    database: decoded(url.pathname.slice(1)) || user,
    sslmode,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressRefused('a % in the address must be written %25');
  }
}
