import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#lib/testing';
import { fileOf } from '../packages.js';
import type { Row } from '../row.js';
import { serviceDocuments } from './documents.js';
import { mostCalls, tryDocument, type Tried } from './tried.js';

const taken = 'Ajv in strict mode and the rules of OpenAI and Anthropic take each definition';

const ofServices = serviceDocuments.map(({ what, package: source, path, operations, refuses = {}, short = false, name }): Row => {
  const calls = Math.min(mostCalls, operations);
  const whys = [...new Set(Object.values(refuses))];
  const passed = calls - Object.keys(refuses).length;
  return {
    group: 'openapi',
    name: `the document of ${what}`,
    source,
    holds: [
      `${operations} of ${operations} operations are tools; ${taken}`,
      `a service with the same document takes ${passed} of ${calls} calls${whys.length > 0 ? ` (the others: ${whys.join(', ')})` : ''}`,
    ].join('; '),
    short,
    attempt: async (place) => {
      const tried = await tryDocument(place, { name: `doc-${name}`, file: fileOf(source, path) });
      must(tried.tools === operations, `${tried.tools} of ${operations} operations are tools: ${leftOut(tried)}`);
      return said(tried, new Set(Object.keys(refuses)));
    },
  };
});

const own: Row = {
  group: 'openapi',
  name: "the product's own document",
  source: 'own',
  holds: `each operation is a tool; ${taken}; a service with the same document takes ${mostCalls - 1} of ${mostCalls} calls (no input is made for a union at the top)`,
  short: true,
  attempt: async (place) => {
    const reply = await place.user.get('/openapi.json');
    must(reply.status === 200, `/openapi.json → ${reply.status}`);
    const file = join(place.folder, 'own.json');
    writeFileSync(file, reply.text);
    // Tools of outside servers are there as other rows have registered them.
    const tried = await tryDocument(place, { name: 'doc-own', file, exclude: ['call_*__*'] });
    must(tried.tools > 100, `${tried.tools} tools: ${leftOut(tried)}`);
    return said(tried, new Set(['call_get_weather', 'call_get_weather_v1']));
  },
};

export const openApiRows: readonly Row[] = [...ofServices, own];

function leftOut({ leftOut: list }: Tried): string {
  return list
    .slice(0, 10)
    .map(({ tool, reason }) => `${tool} (${reason})`)
    .join('; ');
}

/** @param mayRefuse operations whose calls need not be taken */
function said({ tools, faults, called, refused, uncalled }: Tried, mayRefuse: ReadonlySet<string>): string {
  must(faults.length === 0, `${faults.length} faults of definitions: ${faults.slice(0, 6).join('; ')}`);
  const unexpected = refused.filter(({ operation }) => !mayRefuse.has(operation));
  must(
    unexpected.length === 0,
    `${unexpected.length} of ${called} calls: ${unexpected.map(({ operation, said: why }) => `${operation} ${why}`).join('; ')}`,
  );
  const inputless = uncalled.filter((operation) => !mayRefuse.has(operation));
  must(inputless.length === 0, `no input was found for ${inputless.join(', ')}`);
  return `${tools} tools, ${called - refused.length} calls taken`;
}
