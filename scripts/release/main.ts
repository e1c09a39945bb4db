// `npm run release -- <version>`: everything of a release up to what is published.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gt, valid } from 'semver';
import { z } from 'zod';
import { CommandError, print, root, runScript, step, UsageError } from '#lib/command-line';
import { releasedChangelog } from './changelog.js';

const help = `Makes a release ready: writes the version and the changelog, builds the packages, tests their archives, and writes the bill of materials.
It publishes nothing, and says which commands do.

  npm run release -- <version> [options]    such as 0.2.0

  --dry-run       changes no file of the repository, and says what stands against the release
  --skip-tests    the archives are not installed and tried, which takes ten minutes
`;

const manifestFile = join(root, 'package.json');
const manifestShape = z.looseObject({ version: z.string(), license: z.string().optional(), repository: z.unknown().optional() });
const released = join(root, 'dist/release');

await runScript(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false }, 'skip-tests': { type: 'boolean', default: false } },
  });
  const version = versionIn(positionals);
  const changelog = releasedChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, new Date().toISOString().slice(0, 10));
  const obstacles = [...undecided(), ...(await uncommitted())];
  for (const obstacle of obstacles) print(`  ✗ ${obstacle}`);
  if (values['dry-run']) print(`  A dry run: the packages have the present version, and no file of the repository changes.`);
  else if (obstacles.length > 0) throw new CommandError('the release is not ready: see above');
  else writeVersion(version, changelog);

  rmSync(released, { recursive: true, force: true });
  mkdirSync(released, { recursive: true });
  await step('Packages', () => run('node', 'scripts/run.mjs', 'packages', '--out', released));
  await step('Bill of materials', () => run('node', 'scripts/run.mjs', 'sbom', join(released, 'sbom.cdx.json')));
  const archives = globSync('*.tgz', { cwd: released }).map((name) => join(released, name));
  for (const archive of archives)
    await step(`npm publish --dry-run ${relative(root, archive)}`, () => run('npm', 'publish', '--dry-run', archive));
  if (!values['skip-tests']) await step('The packages, installed and tried', () => run('node', 'scripts/run.mjs', 'test', 'test/packages'));

  print(`\nWhat is published is in ${relative(root, released)}. ${values['dry-run'] ? 'Then, after a run that is no dry run' : 'Then'}:\n`);
  const commands = [
    `git commit --all --message 'release: ${version}' && git tag --annotate v${version} --message v${version}`,
    ...archives.map((archive) => `npm publish ${relative(root, archive)} --provenance`),
    `python3 -m twine upload ${relative(root, released)}/*.whl`,
  ];
  for (const command of commands) print(`  ${command}`);
  return 0;
}, help);

/** The first release may have the version that the manifest names. */
function versionIn([version, ...more]: readonly string[]): string {
  if (version === undefined || more.length > 0 || valid(version) !== version) throw new UsageError('Give one version, such as 0.2.0');
  const present = manifest().version;
  if (version !== present && !gt(version, present)) throw new UsageError(`${version} comes before the present version, ${present}`);
  return version;
}

/** What the owner of the packages has to decide before anyone may use them. */
function undecided(): readonly string[] {
  const { license, repository } = manifest();
  return [
    ...(license === undefined || license === 'UNLICENSED' ? ['package.json names no license: nobody may use the packages'] : []),
    ...(repository === undefined ? ['package.json names no repository: npm cannot prove where the packages come from (--provenance)'] : []),
  ];
}

async function uncommitted(): Promise<readonly string[]> {
  const changed = await run('git', 'status', '--porcelain');
  return changed.trim() === '' ? [] : ['there are changes that are not committed'];
}

function writeVersion(version: string, changelog: string): void {
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  writeFileSync(manifestFile, `${JSON.stringify({ ...manifest(), version }, null, 2)}\n`);
  const lockFile = join(root, 'package-lock.json');
  const lock = z
    .looseObject({ packages: z.looseObject({ '': z.looseObject({ version: z.string() }) }) })
    .parse(JSON.parse(readFileSync(lockFile, 'utf8')));
  const own = { ...lock.packages[''], version };
  writeFileSync(lockFile, `${JSON.stringify({ ...lock, version, packages: { ...lock.packages, '': own } }, null, 2)}\n`);
  const pyproject = join(root, 'clients/python/pyproject.toml');
  writeFileSync(pyproject, readFileSync(pyproject, 'utf8').replace(/^version = ".*"$/m, `version = "${version}"`));
}

function manifest(): z.infer<typeof manifestShape> {
  return manifestShape.parse(JSON.parse(readFileSync(manifestFile, 'utf8')));
}

/** Gives what it printed. Throws CommandError with that where it fails. */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CommandError(`${command} ${args.join(' ')} failed:\n${printed.slice(-4_000)}`);
  return printed;
}
