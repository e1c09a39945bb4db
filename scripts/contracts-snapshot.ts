// `npm run contracts:snapshot`: writes the contract of each version that has no snapshot yet. A published version is never rewritten.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { shapeOf, tools } from '#lib/contracts';
import { snapshotFile, writeSnapshot } from './contracts/snapshots.js';
import { print, runScript } from '#lib/command-line';

const help = `Writes the contract of each version that has no snapshot yet, to libs/contracts/snapshots. A published version is never rewritten.

  npm run contracts:snapshot
`;

await runScript(async () => {
  parseArgs({ options: {} });
  const missing = tools.filter((contract) => !existsSync(snapshotFile(contract)));
  for (const contract of missing) {
    writeSnapshot(shapeOf(contract));
    print(`Wrote ${contract.name} ${contract.version}`);
  }
  if (missing.length === 0) print('Every version has its snapshot.');
}, help);
