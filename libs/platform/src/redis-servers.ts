/** How Redis is reached: one server, a cluster, or a master that sentinels know. */
export const redisModes = ['single', 'cluster', 'sentinel'] as const;

/** Settings that lead to Redis. */
export interface RedisSettings {
  /** One URL; with a cluster or sentinels those of some of them, comma-separated. */
  readonly REDIS_URL: string;
  readonly REDIS_MODE?: (typeof redisModes)[number] | undefined;
  /** The master's name at its sentinels. */
  readonly REDIS_SENTINEL_NAME?: string | undefined;
  /** Of the sentinels themselves, where they want one. */
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
}

/** The servers that are asked first, and what all of them share. */
export interface RedisServers {
  readonly seeds: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
  readonly isTls: boolean;
}

const protocols = ['redis:', 'rediss:'];
const usualPort = { single: 6379, cluster: 6379, sentinel: 26379 } as const;
const form = 'must be a URL that begins with redis:// or rediss://';

/** The servers that the settings name. Throws RangeError with what is wrong with REDIS_URL; its values are not repeated. */
export function redisServers({ REDIS_URL: text, REDIS_MODE: mode = 'single' }: RedisSettings): RedisServers {
  const [first = '', ...others] = mode === 'single' ? [text] : text.split(',').map((part) => part.trim());
  if (mode === 'single' && (URL.parse(text)?.host ?? text).includes(','))
    throw new RangeError('must name one server; for several, set REDIS_MODE to cluster or sentinel');
  const url = parsed(first);
  const urls = [url, ...others.map((other) => seedLike(url, other))];
  const [database = 0, another] = new Set(urls.flatMap(databaseOf));
  if (another !== undefined) throw new RangeError('must have one database for all of its servers');
  if (mode === 'cluster' && database !== 0)
    throw new RangeError('must not name a database: a cluster has database 0 alone; use INVOQ_NAMESPACE to share it');
  return {
    seeds: urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || usualPort[mode] })),
    ...(url.username !== '' && { username: decoded(url.username) }),
    ...(url.password !== '' && { password: decoded(url.password) }),
    database,
    isTls: url.protocol === 'rediss:',
  };
}

/** What is wrong with the settings of Redis, by variable; values are not repeated. */
export function redisFault(settings: RedisSettings): { readonly name: keyof RedisSettings; readonly message: string } | null {
  const { REDIS_MODE: mode, REDIS_SENTINEL_NAME: sentinel } = settings;
  if (mode === 'sentinel' && !sentinel)
    return {
      name: 'REDIS_SENTINEL_NAME',
      message: 'is missing: with REDIS_MODE=sentinel it is the name that the sentinels have for the master',
    };
  if (mode !== 'sentinel' && sentinel)
    return { name: 'REDIS_SENTINEL_NAME', message: 'needs REDIS_MODE=sentinel, and a REDIS_URL that names the sentinels' };
  try {
    redisServers(settings);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { name: 'REDIS_URL', message: error.message };
  }
}

/** A further server: `host:port`, or a URL with the scheme, user and password of the first one. */
function seedLike(first: URL, text: string): URL {
  const url = parsed(text.includes('://') ? text : `${first.protocol}//${text}`);
  if (url.protocol !== first.protocol) throw new RangeError('must have the same scheme for all of its servers');
  const isOwn = (url.username !== '' || url.password !== '') && (url.username !== first.username || url.password !== first.password);
  if (isOwn) throw new RangeError('must have one user and password for all of its servers; a comma in a password is written %2C');
  return url;
}

/** The database that a URL names; none where it names none. */
function databaseOf({ pathname }: URL): readonly number[] {
  const digits = /^\/?(\d*)$/.exec(pathname)?.[1];
  if (digits === undefined) throw new RangeError('must have the number of a database as its path, or none');
  return digits === '' ? [] : [Number(digits)];
}

function parsed(text: string): URL {
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol)) throw new RangeError(form);
  if (url.hostname === '') throw new RangeError(`${form}, and names a host`);
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('must have percent signs of its user and password written as %25');
  }
}
