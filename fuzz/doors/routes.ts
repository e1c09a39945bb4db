// Every route of `/openapi.json`: its path, query, headers and body filled by what their names and schemas say, then mutated.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { valueOf } from '../grammar/from-schema.js';
import { mutated } from '../grammar/mutate.js';
import { encodeText } from '../grammar/target.js';
import type { Case } from '../requests/case.js';
import type { Inventory, Operation } from '../requests/inventory.js';
import { hostileStep, keyOf, type Key } from './parts.js';

/** By the name of a parameter of the path or query. Not the outside servers that the run needs. */
const known: Readonly<Record<string, readonly string[]>> = {
  id: [
    '{{job}}',
    '{{file}}',
    '{{chat}}',
    '{{trace}}',
    'inv_profile_00000000000000000000000000000000',
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  tool: ['calc_metrics', 'user_profile_lookup', 'create_node', 'search_nodes'],
  state: ['waiting', 'active', 'delayed', 'completed', 'failed', 'cancelled'],
  limit: ['1', '0', '-1', '100', '101', '1e3'],
  wait: ['0', '1', '-1', '61', '0.5', 'NaN'],
  format: ['native', 'openai', 'anthropic', 'mcp'],
  domain: ['profile', 'memotree', 'knowledge'],
  version: ['1.0.0', '^2', '>=1', 'latest'],
  cursor: ['', 'e30', 'bm90IGEgY3Vyc29y'],
  page: ['get-weather-2', '..%2f..%2fpackage.json'],
  after: ['-1', '0', '5', '10001', 'x'],
  by: ['day', 'model', 'conversation,tool', 'model,model', 'week', ''],
  conversation: ['{{chat}}', '3fa85f64-5717-4562-b3fc-2c963f66afa6', 'x'],
  rate_per_s: ['1', '0', '-1', '1e9', '0.5'],
  expires: ['1', '9999999999999', '-1'],
  signature: ['x', '00'],
  lastEventId: ['0', 'evt_1', '99999999999999999999'],
  ticket: ['{{ticket}}', 'x'],
};

export function routeCase(inventory: Inventory, random: Random): Case {
  const operation = random.pick(inventory.operations);
  const { method, path, bodySchema, headerNames } = operation;
  const json = bodySchema && method !== 'GET' ? bodyOf(bodySchema, random) : undefined;
  const headers = headerNames
    .filter(() => random.chance(0.3))
    .map((name) => [name, random.pick(known[name] ?? [hostileText(random).slice(0, 500)])] as const);
  const owner = ownerOf(path);
  const key = owner && random.chance(0.7) ? owner : keyOf(random);
  return {
    door: `${method} ${path.startsWith('/tools/') && !path.includes('{') ? '/tools/{name}' : path}`,
    steps: [hostileStep({ method, target: targetOf(operation, { random, inventory }), key, json, headers }, random)],
  };
}

/** Who gets further than the refusal of a right; null where everybody does. */
function ownerOf(path: string): Key | null {
  if (/^\/(keys|admin|metrics|mcp\/servers|workers|served-tools|schedules|webhooks)/.test(path)) return 'admin';
  return /^\/(budgets|policies|pauses|flows|flow-lines|toolsets|providers|connections|batches|audit|errors|usage|history|jobs\/cancel)/.test(
    path,
  )
    ? 'ruler'
    : null;
}

function targetOf(
  { method, path, queryNames }: Operation,
  { random, inventory }: { readonly random: Random; readonly inventory: Inventory },
): string {
  const filledIn = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.3)) return encodeText(hostileText(random)).slice(0, 3_000);
    if (path.startsWith('/workers')) return '{{worker}}';
    if (path.startsWith('/input-requests')) return random.pick(['a', 'none', '3fa85f64-5717-4562-b3fc-2c963f66afa6']);
    if (path.startsWith('/batches')) return random.pick(['none', '3fa85f64-5717-4562-b3fc-2c963f66afa6']);
    if (path.startsWith('/schedules')) return random.pick(['a', 'nightly', 'none', '3fa85f64-5717-4562-b3fc-2c963f66afa6']);
    if (path.startsWith('/webhooks')) return random.pick(['a', 'none', '3fa85f64-5717-4562-b3fc-2c963f66afa6']);
    if (path.startsWith('/mcp/servers')) return random.pick(['a', 'b', 'weird', 'none']);
    if (path.startsWith('/tools/') && name === 'name') return random.pick(inventory.tools).name;
    if (name === 'name') return random.pick(['a', 'b', 'none']);
    return random.pick(known[name] ?? ['{{job}}']);
  });
  const asked = queryNames.filter(() => random.chance(0.4));
  const query = asked.map(
    (name) => `${name}=${encodeText(random.chance(0.5) ? random.pick(known[name] ?? ['true']) : hostileText(random)).slice(0, 2_000)}`,
  );
  // `/jobs?wait=60` is meant to wait: the fuzz is not.
  const target = [filledIn, ...(query.length > 0 ? [query.join('&')] : [])].join('?');
  return method === 'GET' ? target.replace(/wait=61/, 'wait=2') : target;
}

function bodyOf(schema: unknown, random: Random): unknown {
  let body = valueOf(schema, random);
  for (let wrong = random.pick([0, 1, 1, 2]); wrong > 0; wrong--) body = mutated(body, random);
  return body;
}
