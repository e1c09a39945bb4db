import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { must } from '#lib/testing';
import { pickPort } from '../../../scripts/provision/ports.js';
import { listedIn } from '../lists/listed.js';
import { faultsOf } from '../lists/rules.js';
import { worldFolder } from '../packages.js';
import type { Place } from '../place.js';
import { runProgram } from '../run-program.js';
import { HttpServerProcess } from '../servers/http.js';
import { call, register } from '../servers/registered.js';

export interface TriedDocument {
  /** Under which the product knows it; at most 24 characters. */
  readonly name: string;
  /** An absolute file. */
  readonly file: string;
  /** Operations that are not wanted, as in a registration. */
  readonly exclude?: readonly string[];
}

export interface Tried {
  readonly tools: number;
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  /** Definitions that a strict checker or a provider does not take. */
  readonly faults: readonly string[];
  readonly called: number;
  /** Calls that the checker of the service did not take: the operation, and all that was said. */
  readonly refused: readonly { readonly operation: string; readonly said: string }[];
  /** Operations for which no input was found. */
  readonly uncalled: readonly string[];
}

const definitions = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), parameters: z.unknown() })),
});
const schemes = z.record(z.string(), z.looseObject({ scheme: z.string().optional() }));
const providers = ['openai', 'anthropic'] as const;
const made = z.array(
  z.object({ name: z.string(), fault: z.string().nullable(), isCalled: z.boolean(), input: z.record(z.string(), z.unknown()).nullable() }),
);
const callsAtOnce = 4;
/** Of one document: the service takes up to a second to make the checks of an operation. */
export const mostCalls = 60;

/** Registers a document, looks at each definition, and calls each tool at a service that checks requests against the same document. */
export async function tryDocument(place: Place, { name, file, exclude }: TriedDocument): Promise<Tried> {
  const port = await pickPort();
  const program = join(worldFolder, 'programs/openapi/service.mjs');
  await using _service = await HttpServerProcess.start({ program, port, args: [String(port), file], env: {}, folder: place.folder });
  const url = `http://127.0.0.1:${port}`;
  const { served, rejected } = await register(place, {
    name,
    kind: 'openapi',
    url: `${url}/the-document`,
    base_url: url,
    timeout_ms: 20_000,
    credentials: await credentialsFor(url),
    ...(exclude && { exclude }),
  });
  try {
    const operations = new Map(served.map(({ name: offered, tool }) => [offered, tool]));
    const names = new Set(operations.keys());
    const tools = definitions.parse((await place.user.get('/tools')).body).tools.filter((tool) => names.has(tool.name));
    must(tools.length === served.length, `${tools.length} of ${served.length} tools are listed`);
    const looked = await inputsOf(place, name, tools);
    const calls = looked.flatMap(({ name: tool, input }) => (input === null ? [] : [{ tool, input }]));
    return {
      tools: served.length,
      leftOut: rejected,
      faults: [
        ...looked.flatMap(({ name: tool, fault }) => (fault === null ? [] : [`${tool}: ${fault}`])),
        ...(await faultsForProviders(place, names)),
      ],
      called: calls.length,
      refused: (await callAll(place, calls)).map(({ tool, said }) => ({ operation: operations.get(tool) ?? tool, said })),
      uncalled: looked.filter(({ isCalled, input }) => isCalled && input === null).map(({ name: tool }) => operations.get(tool) ?? tool),
    };
  } finally {
    await place.admin.delete(`/mcp/servers/${name}`);
  }
}

/** Something for each security scheme of the document. */
async function credentialsFor(url: string): Promise<Readonly<Record<string, string>>> {
  const found = schemes.parse(await (await fetch(`${url}/the-schemes`)).json());
  return Object.fromEntries(Object.entries(found).map(([name, { scheme }]) => [name, scheme === 'basic' ? 'user:password' : 'a-secret']));
}

async function faultsForProviders({ user }: Place, names: ReadonlySet<string>): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const provider of providers)
    for (const tool of listedIn[provider]((await user.get(`/tools?format=${provider}`)).body))
      if (names.has(tool.name)) faults.push(...faultsOf(tool, provider).map((fault) => `${tool.name}: ${provider}: ${fault}`));
  return faults;
}

async function inputsOf(place: Place, name: string, tools: readonly object[]): Promise<z.output<typeof made>> {
  const [file, out] = [join(place.folder, `${name}.definitions.json`), join(place.folder, `${name}.inputs.json`)];
  writeFileSync(file, JSON.stringify(tools));
  await runProgram('openapi/inputs.mjs', { file, out, most: mostCalls });
  return made.parse(JSON.parse(readFileSync(out, 'utf8')));
}

async function callAll(
  place: Place,
  calls: readonly { readonly tool: string; readonly input: object }[],
): Promise<readonly { readonly tool: string; readonly said: string }[]> {
  const waiting = [...calls];
  const refused: { tool: string; said: string }[] = [];
  const caller = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { ok, text } = await call(place, next.tool, next.input);
      if (!ok) refused.push({ tool: next.tool, said: `${JSON.stringify(next.input).slice(0, 300)} → ${text.slice(0, 600)}` });
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, caller));
  return refused;
}
