// A Postgres of Debian: the client programs that belong to it can read it, those of the machine need not know the embedded one.
import { execFileSync } from 'node:child_process';
import { chownSync, globSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManagedProcess } from '../../scripts/managed-process.js';
import { installDebian } from '../../scripts/provision/debian.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { answersQuery } from '../../scripts/provision/postgres.js';

export interface DebianPostgres extends AsyncDisposable {
  /** Of a new, empty database. */
  readonly newDatabase: (name: string) => string;
}

interface DebianOptions {
  /** Whether a login needs its password, which is `none`. */
  readonly checksPasswords?: boolean;
  /** As `name=value`. @param folder of the server, where files may be put that it is to read */
  readonly settings?: (folder: string) => readonly string[];
}

/** @throws where it is not there and cannot be installed */
export async function startDebianPostgres({ checksPasswords = false, settings = () => [] }: DebianOptions = {}): Promise<DebianPostgres> {
  await using owner = new AsyncDisposableStack();
  const programs = findPrograms() ?? (installDebian('postgresql'), findPrograms());
  if (programs === undefined) throw new Error('there is no Postgres of Debian and none could be installed: install the package postgresql');
  const folder = owner.adopt(mkdtempDisposableSync(join(tmpdir(), 'invoq-debian-postgres-')), (one) => one.remove()).path;
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  if (asNobody.length > 0) chownSync(folder, idOf('-u'), idOf('-g'));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'none');
  const given = settings(folder).flatMap((one) => ['-c', one]);
  const port = await pickPort();
  const data = join(folder, 'data');
  const [initdb, ...initArgs] = [
    ...asNobody,
    join(programs, 'initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    checksPasswords ? 'scram-sha-256' : 'trust',
    ...(checksPasswords ? [`--pwfile=${passwordFile}`] : []),
    '-E',
    'UTF8',
    '--no-sync',
  ];
  execFileSync(initdb, initArgs, { stdio: 'ignore' });
  const [command, ...args] = [...asNobody, join(programs, 'postgres'), '-D', data, '-p', String(port), '-k', '', '-c', 'fsync=off'];
  const urlOf = (name: string): string => `postgresql://postgres:none@127.0.0.1:${port}/${name}`;
  const server = new ManagedProcess({
    name: 'postgres',
    command,
    args: [...args, ...given],
    cwd: '/',
    port,
    logFile: join(tmpdir(), `invoq-debian-postgres-${port}.log`),
    isNode: false,
    stopMs: 10_000,
    isReady: () => answersQuery(urlOf('postgres')),
  });
  await server.start();
  owner.defer(async () => server.stop());
  const owned = owner.move();
  return {
    newDatabase: (name) => {
      execFileSync(join(programs, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name], {
        env: { ...process.env, PGPASSWORD: 'none' },
      });
      return urlOf(name);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function findPrograms(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }));
}
