// What a new tool or domain still needs, read from the sources, so that all of it is told at once and before anything is started.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { contractShape, handlerShape, staleToolLists } from '../derived/tool-lists.js';

/** A step that was forgotten, at the place that asks for it. */
export interface ForgottenStep {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

interface Declaration {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

const domainList = 'libs/contracts/src/domains.ts';
const domainShape = /^ {2}([a-z][\w-]*): \{(?: name: '|$)/;
const settingsList = 'scripts/app-settings.ts';

/** Everything that was forgotten. @param root of the repository */
export function forgottenSteps(root: string): readonly ForgottenStep[] {
  const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');
  const sources = (pattern: string): readonly string[] => globSync(pattern, { cwd: root }).toSorted();
  const declared = (file: string, shape: RegExp): readonly Declaration[] =>
    read(file)
      .split('\n')
      .flatMap((text, index) => {
        const name = shape.exec(text)?.[1];
        return name === undefined ? [] : [{ file, line: index + 1, name }];
      });

  const workers = sources('apps/*-worker').map((folder) => basename(folder));
  const domains = declared(domainList, domainShape);
  return [...lists(), ...contracts(), ...handlers(), ...ofDomains(), ...ofWorkers()];

  function lists(): readonly ForgottenStep[] {
    const message = 'this list is not that of the tools that are there: run `npm run format`';
    return [...staleToolLists(root).keys()].map((file) => ({ file, line: 1, message }));
  }

  function contracts(): readonly ForgottenStep[] {
    return sources('libs/contracts/src/tools/*/*.ts').flatMap((file) => {
      const domain = basename(dirname(file));
      return declared(file, contractShape).flatMap((contract) =>
        forgotten(
          contract,
          !/\bdeprecated: true\b/.test(read(file)) && !mentions(`apps/${domain}-worker/src/**/*.ts`, contract.name, false),
          `has no handler: write apps/${domain}-worker/src/tools/${basename(file)}`,
        ),
      );
    });
  }

  function handlers(): readonly ForgottenStep[] {
    return sources('apps/*-worker/src/tools/*.ts').flatMap((file) => {
      const folder = dirname(file);
      const name = basename(file, '.ts');
      const line = `./${name}.js`;
      // A second version beside the first, such as get_weather@2.
      const tool = name.replace(/-v(\d+)$/, '@$1').replaceAll('-', '_');
      const tested =
        mentions(`${folder}/*.ts`, line, true) ||
        ['apps/*-worker/src/**/*.ts', 'test/**/*.ts'].some((pattern) => mentions(pattern, tool, true));
      return declared(file, handlerShape).flatMap((handler) => forgotten(handler, !tested, `has no test: write ${folder}/${name}.test.ts`));
    });
  }

  function ofDomains(): readonly ForgottenStep[] {
    return domains.flatMap((domain) => {
      const main = `apps/${domain.name}-worker/src/main.ts`;
      return forgotten(domain, read(main) === '', `has no worker: write ${main}`);
    });
  }

  function ofWorkers(): readonly ForgottenStep[] {
    return workers.flatMap((worker) => {
      const app: Declaration = { file: `apps/${worker}/src/main.ts`, line: 1, name: worker };
      const row = `a row of ${domainOf(worker)} in ${domainList}`;
      return [
        ...forgotten(app, !domains.some(({ name }) => name === domainOf(worker)), `has no domain: add ${row}`),
        ...forgotten(
          app,
          hasUnlistedSettings(worker),
          `has settings that no deployment gives it: add its src/config.ts to ${settingsList}`,
        ),
      ];
    });
  }

  function hasUnlistedSettings(worker: string): boolean {
    const file = `apps/${worker}/src/config`;
    return read(`${file}.ts`) !== '' && !read(settingsList).includes(`'../${file}.js'`);
  }

  /** Whether a file has this text, as a whole word. @param inTests of tests, else of the others */
  function mentions(pattern: string, text: string, inTests: boolean): boolean {
    const word = new RegExp(String.raw`(?<![\w$])${text.replaceAll('.', String.raw`\.`)}(?![\w$])`);
    return sources(pattern).some((file) => isTest(file) === inTests && word.test(read(file)));
  }
}

function forgotten({ file, line, name }: Declaration, is: boolean, message: string): readonly ForgottenStep[] {
  return is ? [{ file, line, message: `${name} ${message}` }] : [];
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts');
}

function domainOf(worker: string): string {
  return worker.replace(/-worker$/, '');
}
