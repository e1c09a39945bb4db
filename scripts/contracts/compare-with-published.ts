// Whether the contracts of this build may be published: a change needs a new version, a breaking change a new major version and a
// migration guide.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compareContracts, compareVersions, isCompatible, shapeOf, type ToolContract } from '#lib/contracts';
import { root } from '#lib/command-line';
import { publishedVersions, readSnapshot, snapshotFile } from './snapshots.js';

/** One sentence for each reason against publishing, with what to do; empty when the contract may be published. */
export function compareWithPublished(contract: ToolContract, served: readonly ToolContract[]): readonly string[] {
  const title = `${contract.name} ${contract.version}`;
  const file = snapshotFile(contract);
  const published = publishedVersions(contract.name);
  // A tool without a published version may still be changed freely.
  if (published.length === 0) return [];
  if (!existsSync(file)) return [`${title} has no snapshot: run npm run contracts:snapshot and commit what it writes`];
  const now = shapeOf(contract);
  const then = readSnapshot(contract.name, contract.version);
  if (!isDeepStrictEqual(then, now)) {
    const changes = compareContracts(then, now).map(({ message }) => message);
    return [
      `${title} is not what was published under that version${changes.length > 0 ? ` (${changes.join('; ')})` : ''}: give it a new version and a changelog entry, then npm run contracts:snapshot`,
    ];
  }
  const earlier = published.findLast((version) => compareVersions(version, contract.version) < 0);
  if (earlier === undefined) return [];
  const breaking = compareContracts(readSnapshot(contract.name, earlier), now).filter((change) => change.breaking);
  if (isCompatible(breaking)) return [];
  const because = breaking.map(({ message }) => message).join('; ');
  if (majorOf(earlier) === majorOf(contract.version))
    return [`${title} breaks callers of ${earlier} (${because}): it needs a new major version`];
  const olderMajor = served.some(({ name, version }) => name === contract.name && majorOf(version) === majorOf(earlier));
  return [
    ...(migrationGuideText(contract) === null
      ? [`${title} breaks callers of ${earlier} (${because}): it needs a migrationGuide with a page in docs/migrations`]
      : []),
    ...(olderMajor
      ? []
      : [`${title} breaks callers of ${earlier}, and no version ${majorOf(earlier)}.x is served any more: keep it until its sunset`]),
  ];
}

/** The text of a contract's migration guide; null when there is none. */
export function migrationGuideText({ migrationGuide }: Pick<ToolContract, 'migrationGuide'>): string | null {
  const page = /^\/docs\/migrations\/([\w.-]+)$/.exec(migrationGuide ?? '')?.[1];
  if (page === undefined) return null;
  const file = join(root, 'docs/migrations', `${page}.md`);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function majorOf(version: string): string {
  return version.split('.', 1)[0] ?? '';
}
