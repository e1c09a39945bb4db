import { readdirSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { domains, toServedTool } from '#lib/contracts';
import type { Tool } from '../own-contract.js';
import { named } from '../tool.js';
import { placeOf, placeOfError, type Place } from './place.js';
import { resolveTypeScript } from './resolve-typescript.js';

/** Something to mend in a file of tools. */
export interface Fault extends Place {
  readonly message: string;
}

/** A tool of a folder. */
export interface FolderTool extends Place {
  readonly tool: Tool;
  /** By which it is exported. */
  readonly exported: string;
}

export interface LoadedTools {
  readonly tools: readonly FolderTool[];
  readonly faults: readonly Fault[];
}

const isToolFile = /(?<!\.test|\.d)\.[cm]?[jt]s$/;
const contractShape = z.object({ name: z.string(), version: z.string(), input: z.object(), output: z.object(), domain: z.string() });
const handlerShape = z.object({ contract: contractShape, run: z.function() });

/**
 * Loads the tools that the files of a folder export. A file of it is a tool file, but for tests; files in folders below are theirs to import.
 * A file or a tool with a fault is left out, and does not hold up the others. Throws where there is no such folder.
 */
export async function loadTools(folder: string): Promise<LoadedTools> {
  resolveTypeScript();
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory() && isToolFile.test(entry.name));
  const paths = files.map(({ name }) => join(resolve(folder), name)).toSorted();
  const loaded = await Promise.all(paths.map(loadFile));
  const faults = loaded.flatMap((one) => one.faults);
  const tools = new Map<string, FolderTool>();
  for (const one of loaded.flatMap(({ tools: found }) => found)) {
    const { name, version } = one.tool.contract;
    const id = `${name} ${version}`;
    const other = tools.get(id);
    const messages = other ? [`${id} is also in ${shown(other)}: rename one, or give it another version`] : faultsOf(one.tool);
    if (messages.length === 0) tools.set(id, one);
    faults.push(...messages.map((message) => ({ file: one.file, line: one.line, message })));
  }
  return { tools: [...tools.values()], faults };
}

/** As `tools/a.ts:5`, from the present folder. */
function shown({ file, line }: Place): string {
  return `${relative(process.cwd(), file)}:${line}`;
}

async function loadFile(file: string): Promise<LoadedTools> {
  let exported: readonly (readonly [string, unknown])[];
  try {
    const module: object = await import(pathToFileURL(file).href);
    exported = Object.entries(module);
  } catch (error) {
    return { tools: [], faults: [{ ...placeOfError(file, error), message: error instanceof Error ? String(error) : 'cannot be loaded' }] };
  }
  const found = exported.flatMap(([name, value]) => (isTool(value) ? [{ name, value }] : []));
  const isOnly = found.filter(({ value }) => value.contract.name === '').length === 1;
  const tools = found.map(({ name, value }): FolderTool => {
    const ofFile = isOnly || name === 'default' ? basename(file, extname(file)) : name;
    const tool = value.contract.name === '' ? named(value, snakeCase(ofFile)) : value;
    return { tool, exported: name, ...placeOf(file, { name: tool.contract.name, exported: name }) };
  });
  const contracts = exported.flatMap(([name, value]) => {
    const { data } = contractShape.safeParse(value);
    return data && !tools.some(({ tool: { contract } }) => contract.name === data.name && contract.version === data.version)
      ? [{ exported: name, name: data.name }]
      : [];
  });
  const faults = contracts.map((one) => ({
    ...placeOf(file, one),
    message: `the contract ${one.name} has no handler: export handle(${one.exported}, …)`,
  }));
  if (tools.length + faults.length > 0) return { tools, faults };
  const message = 'exports no tool: export what tool(…) or handle(…) gives, or move the file to a folder below';
  return { tools, faults: [{ file, line: 1, message }] };
}

/** `count-words` and `countWords` are `count_words`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

function isTool(value: unknown): value is Tool {
  return handlerShape.safeParse(value).success;
}

/** All reasons why a worker cannot announce it. */
function faultsOf({ contract }: Tool): readonly string[] {
  const { name, domain } = contract;
  const ofTenant = ownDomain(domain);
  const shape = 'a letter, then at most 18 of a-z, 0-9 and -';
  const fault =
    ofTenant === undefined
      ? `must be ${shape}, not '${domain.replace(/^own-/, '')}'`
      : Object.hasOwn(domains, ofTenant) && `must not be '${ofTenant}', which is a domain of Invoq`;
  const ofDomain = fault ? [`${name}: domain ${fault}`] : [];
  try {
    toServedTool(contract);
    return ofDomain;
  } catch (error) {
    const messages =
      error instanceof z.ZodError
        ? error.issues.map(({ path, message }) => [...path, message].join(': '))
        : [error instanceof Error ? error.message : String(error)];
    return [...ofDomain, ...messages.map((message) => `${name}: ${message}`)];
  }
}

/** The tenant's name of the domain of a contract. */
export function ownDomain(domain: string): string | undefined {
  return /^own-([a-z][a-z0-9-]{0,18})$/.exec(domain)?.[1];
}
