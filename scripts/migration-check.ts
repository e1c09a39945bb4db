// `npm run migration-check -- --tool get_weather --from 1.0 --to 2.0`: what a caller of one version has to change for another (TU-77).
// Exits with 0 when callers of the older one need no change, 1 when they do, 2 for wrong usage.
import { parseArgs } from 'node:util';
import { compareContracts, compareVersions, isCompatible, tools } from '#lib/contracts';
import { migrationGuideText } from './contracts/compare-with-published.js';
import { publishedTools, publishedVersions, readSnapshot } from './contracts/snapshots.js';
import { print, printError, runScript } from '#lib/command-line';

const usage = `Usage: npm run migration-check -- --tool <name> --from <version> [--to <version>] [--json]

Versions have two or three parts; 1.0 stands for the latest 1.0.x. Without --to it is the newest.`;

await runScript(async () => {
  try {
    return check();
  } catch (error) {
    printError(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
});

function check(): number {
  const { values } = parseArgs({
    options: {
      tool: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const { tool, from } = values;
  if (!tool || !from) throw new Error('--tool and --from are needed');
  const published = publishedVersions(tool);
  if (published.length === 0) throw new Error(`there is no tool ${tool}; there are ${publishedTools().join(', ')}`);
  const older = readSnapshot(tool, versionOf(published, from));
  const newer = readSnapshot(tool, values.to ? versionOf(published, values.to) : (published.at(-1) ?? ''));
  const changes = compareContracts(older, newer);
  const compatible = isCompatible(changes);
  const contract = tools.find(({ name, version }) => name === tool && version === newer.version);
  // A version that is served no more has the guide of its major version.
  const guide =
    contract ??
    tools.find(
      ({ name, version, migrationGuide }) => name === tool && migrationGuide && version.split('.')[0] === newer.version.split('.')[0],
    );
  if (values.json) {
    print(
      JSON.stringify(
        { tool, from: older.version, to: newer.version, compatible, changes, migration_guide: guide?.migrationGuide ?? null },
        null,
        2,
      ),
    );
    return compatible ? 0 : 1;
  }
  print(`${tool} ${older.version} → ${newer.version}: ${compatible ? 'compatible' : 'NOT compatible'}`);
  for (const { breaking, message } of changes) print(`  ${breaking ? '✗' : '✓'} ${message}`);
  if (changes.length === 0) print('  nothing that callers rely on has changed');
  const text = guide && migrationGuideText(guide);
  if (!compatible && text) print(`\n${text.trimEnd()}`);
  return compatible ? 0 : 1;
}

/** The published version that was asked for. Throws when there is none. */
function versionOf(published: readonly string[], asked: string): string {
  if (!/^\d+\.\d+(\.\d+)?$/.test(asked)) throw new Error(`'${asked}' is not a version; write 1.0 or 1.0.0`);
  const found = published
    .filter((version) => version === asked || version.startsWith(`${asked}.`))
    .toSorted(compareVersions)
    .at(-1);
  if (found === undefined) throw new Error(`there is no version ${asked}; there are ${published.join(', ')}`);
  return found;
}
