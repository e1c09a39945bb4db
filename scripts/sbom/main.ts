// `npm run sbom [-- file]`: writes the bill of materials.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder, print, root, runScript } from '#lib/command-line';
import { billOfMaterials } from './bill-of-materials.js';

const help = `Writes the bill of materials of a deployment, as CycloneDX 1.6 in JSON, from package-lock.json. Needs no network.

  npm run sbom -- [file]    default: dist/sbom.cdx.json
`;

await runScript(async () => {
  const [given] = parseArgs({ allowPositionals: true }).positionals;
  const file = given === undefined ? join(root, 'dist', 'sbom.cdx.json') : resolve(callerFolder(), given);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, billOfMaterials(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))));
  print(`Wrote ${file}`);
  return 0;
}, help);
