// Which gateway a command talks to, and as whom. An address and its keys belong together, wherever they come from.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from './errors.js';
import { callerFolder, readDevEnv } from './settings.js';

export interface GatewayAddress {
  readonly url: string | undefined;
  readonly userKey: string | undefined;
  readonly adminKey: string | undefined;
  /** For the user, where what is set is not what is used. */
  readonly note?: string;
}

/** What the command line says of the gateway. */
export interface GatewayChoice {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** A name, or the path of a file. */
  readonly profile?: string | undefined;
}

/**
 * The first of these that names a gateway, with its own keys: the options of the command line, the profile, what `npm start` wrote in this
 * project, the environment. A key is sent to no gateway but the one that it was named with; INVOQ_API_KEY without an address is for any.
 * Throws UsageError for a profile that there is not.
 */
export function gatewayAddress(choice: GatewayChoice = {}, environment: NodeJS.ProcessEnv = process.env): GatewayAddress {
  const exported = addressIn(environment);
  const project = addressIn(readDevEnv(environment));
  const profile = choice.profile === undefined ? undefined : addressIn(readProfile(choice.profile, environment));
  const sources = [...(profile ? [profile] : []), ...(project.url ? [project] : []), exported];
  const url = choice.url ?? sources.find((source) => source.url)?.url;
  const keys = keysFor(url, { sources, exported });
  const isSurprise = choice.url === undefined && !profile && project.url && exported.url && !isSame(project.url, exported.url);
  return {
    url,
    userKey: choice.key ?? keys.userKey,
    adminKey: choice.key ?? keys.adminKey,
    ...(isSurprise && {
      note: `INVOQ_URL is ${exported.url}, and this project's gateway ${url} is used. To use the other: invoq --url ${exported.url} …`,
    }),
  };
}

type Keys = Pick<GatewayAddress, 'userKey' | 'adminKey'>;

function keysFor(
  url: string | undefined,
  { sources, exported }: { readonly sources: readonly GatewayAddress[]; readonly exported: GatewayAddress },
): Keys {
  const named = url === undefined ? undefined : sources.find((source) => source.url !== undefined && isSame(source.url, url));
  // A key of the environment comes first, also before a written one of an administrator.
  const [own, isForAny] = [exported.userKey, exported.url === undefined || (url !== undefined && isSame(exported.url, url))];
  const given = isForAny ? own : undefined;
  return {
    userKey: given ?? named?.userKey,
    adminKey: (isForAny ? exported.adminKey : undefined) ?? given ?? named?.adminKey,
  };
}

/** An empty value counts as absent. */
function addressIn({ INVOQ_URL: url, INVOQ_API_KEY: userKey, INVOQ_ADMIN_KEY: adminKey }: NodeJS.Dict<string>): GatewayAddress {
  return { url: url || undefined, userKey: userKey || undefined, adminKey: adminKey || undefined };
}

function isSame(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

/** Of `invoq --profile`: a file like `dev.env`. */
function readProfile(name: string, environment: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  const folder = join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'invoq');
  const file = /[\\/]|\.env$/.test(name) ? resolve(callerFolder(environment), name) : join(folder, `${name}.env`);
  if (existsSync(file)) {
    const read = parseEnv(readFileSync(file, 'utf8'));
    if (read['INVOQ_URL']) return read;
  }
  throw new UsageError(
    `--profile ${name}: ${file} ${existsSync(file) ? 'has no INVOQ_URL' : 'is not there'}. It holds INVOQ_URL=…, INVOQ_API_KEY=… and, for administrators, INVOQ_ADMIN_KEY=…, a line each`,
  );
}
