// `npm run ready-database`: writes the database that a first start begins with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { print, runScript } from '#lib/command-line';
import { startPostgres } from './provision/private-stores.js';
import { migrate } from './provision/migrate.js';
import { packReadyDatabase, readyFile } from './provision/ready-database.js';
import { importStarterKnowledge } from './provision/starter-knowledge.js';
import { starterKnowledgeDigest } from './provision/starter-pages.js';

const help = `Writes the database that a first start begins with, to prisma/ready-database.zst: the schema and the starter knowledge.
A start brings an older one up to date, so it need not be written again with every migration. It is when the starter pages change.

  npm run ready-database
`;

await runScript(async () => {
  parseArgs({ options: {} });
  const folder = mkdtempSync(join(tmpdir(), 'invoq-ready-'));
  try {
    const postgres = await startPostgres({ dir: folder });
    try {
      await migrate(postgres.url);
      await importStarterKnowledge(postgres.url);
    } finally {
      await postgres[Symbol.asyncDispose]();
    }
    await packReadyDatabase(join(folder, 'data'), starterKnowledgeDigest());
    print(`Wrote ${readyFile}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, help);
