import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { callerFolder, CommandError, print, UsageError } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { projectFiles } from './project-files.js';

/** What npm takes for the name of a package, without its own scopes. */
const packageName = /^[a-z0-9][a-z0-9._-]{0,99}$/;
/** A package cannot depend on itself, and npm refuses the others. */
const takenNames = ['invoq', 'zod', 'typescript', 'node_modules', 'favicon.ico'];
const archives = { '@invoq/worker': /^invoq-worker-\d.*\.tgz$/, invoq: /^invoq-\d.*\.tgz$/ };

export const init = defineCommand({
  positionals: ['[folder]'],
  options: {
    packages: { type: 'string', value: '<folder>', help: 'with the archives of our packages (default: the registry of npm)' },
  },
  notes: `Writes a tool, its test, and what both need. The folder (default: this one) is made where it is not there; its name becomes that of the
package. A file that is there already is never changed: then nothing is written.`,
  async run({ values: { packages }, positionals: [given = '.'] }) {
    const folder = resolve(callerFolder(), given);
    const files = projectFiles({ name: nameOf(folder), packages: packages === undefined ? {} : archivesIn(packages, folder) });
    const paths = Object.keys(files);
    refuseOverwriting(folder, paths);
    for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
    const shown = relative(callerFolder(), folder);
    const steps = [...(shown === '' ? [] : [`cd ${shown}`]), 'npm install', 'npm test', 'npx invoq dev'];
    print(`Written${shown === '' ? '' : ` to ${shown}${sep}`}: ${paths.join(', ')}

${steps.map((step) => `  ${step}`).join('\n')}

Then, in a second terminal${shown === '' ? '' : ` in ${shown}${sep}`}:

  npx invoq call count_words --text 'Two words'`);
  },
});

/** Throws UsageError for a folder whose name npm does not take. */
function nameOf(folder: string): string {
  const name = basename(folder);
  if (packageName.test(name) && !takenNames.includes(name)) return name;
  throw new UsageError(
    `The folder's name becomes that of the package: a-z, 0-9, '.', '_' and '-' after a letter or digit, and none of ${takenNames.join(', ')}; not '${name}'. Name a folder: invoq init my-tools`,
  );
}

/** As npm installs them: by their place, from the project. Throws CommandError where one is missing or there are several. */
function archivesIn(given: string, project: string): Readonly<Record<string, string>> {
  const folder = resolve(callerFolder(), given);
  const present = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
  const found = Object.entries(archives).map(([name, shape]): [string, string] => {
    const [file, ...others] = present.filter((one) => shape.test(one));
    if (file === undefined || others.length > 0)
      throw new CommandError(
        `${folder} has ${file === undefined ? 'no archive' : 'several archives'} of ${name} (npm run packages builds one)`,
      );
    return [name, `file:${relative(project, join(folder, file)).replaceAll(sep, '/')}`];
  });
  return Object.fromEntries(found);
}

/** Throws CommandError, before anything is written. */
function refuseOverwriting(folder: string, paths: readonly string[]): void {
  const there = paths.filter((path) => existsSync(join(folder, path)));
  if (there.length === 0) return;
  throw new CommandError(`${folder} has ${there.join(', ')} already. Nothing was written; name another folder: invoq init my-tools`);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  // A file that has come in the meantime stays as it is.
  writeFileSync(file, text, { flag: 'wx' });
}
