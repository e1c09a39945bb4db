// `npm run db:migration -- <name>`: writes the step from what the migrations make to what the schema says, by applying them to a
// database in memory and comparing that with the schema.
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ManagedProcess } from './managed-process.js';
import { migrate } from './provision/migrate.js';
import { pickPort } from './provision/ports.js';
import { postgresSpec, postgresUrl } from './provision/postgres.js';
import { differenceToSchema } from './provision/schema-engine.js';
import { CommandError, print, root, runScript } from '#lib/command-line';

const help = `Writes the migration from what the migrations make to what prisma/schema says.

  npm run db:migration -- <name>    such as add_orders
`;

await runScript(async () => {
  const [given = ''] = parseArgs({ allowPositionals: true }).positionals;
  const name = given.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  if (!name) throw new CommandError('name the migration: npm run db:migration -- add_orders');
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'invoq-migration-'));
  const port = await pickPort();
  const postgres = new ManagedProcess(postgresSpec({ dir: 'memory://', port, logFile: join(scratch.path, 'postgres.log') }));
  try {
    await postgres.start();
    await migrate(postgresUrl(port));
    const sql = await differenceToSchema(postgresUrl(port));
    if (!sql) return print('The migrations already make the schema; there is nothing to write.');
    const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    const folder = join('prisma/migrations', `${stamp}_${name}`);
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'migration.sql'), `${sql}\n`);
    print(`Wrote ${folder}/migration.sql. Read it before you commit it; npm start applies it.`);
  } finally {
    await postgres.stop();
  }
}, help);
