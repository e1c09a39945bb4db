// Messages of the Model Context Protocol, in the stateless revision and in those with sessions.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { textAt } from '../grammar/json.js';
import { mutated } from '../grammar/mutate.js';
import type { Case, Step } from '../requests/case.js';
import type { Inventory } from '../requests/inventory.js';
import { hostileStep, inputOf, keyOf, optionsOf, plainStep } from './parts.js';

const methods = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'logging/setLevel',
  'completion/complete',
  'tasks/get',
  'tasks/cancel',
  'tasks/update',
  'server/discover',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'sampling/createMessage',
  'roots/list',
  'x',
  '',
] as const;

const metaOf = (random: Random) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: random.chance(0.3) ? { 'io.modelcontextprotocol/tasks': {} } : {} },
  ...(random.chance(0.2) && { 'invoq/options': optionsOf(random) }),
  ...(random.chance(0.1) && { progressToken: random.pick<unknown>([1, 'p', hostileText(random)]) }),
});

export function mcpCase(inventory: Inventory, random: Random): Case {
  const isNew = random.chance(0.5);
  const { method, params } = messageOf(inventory, { random, isNew });
  const revision = isNew ? '2026-07-28' : random.pick(['2025-11-25', '2025-06-18', '2025-03-26']);
  const named = textAt(params, 'name') ?? textAt(params, 'uri') ?? textAt(params, 'taskId') ?? '';
  const headers: Step['headers'] = [
    ['accept', random.chance(0.9) ? 'application/json, text/event-stream' : random.pick(['application/json', 'text/event-stream', '*/*'])],
    ['mcp-protocol-version', revision],
    ...(isNew ? [['mcp-method', method] as const, ...(named && /^[\x21-\x7e]+$/.test(named) ? [['mcp-name', named] as const] : [])] : []),
  ];
  const id = method.startsWith('notifications/') ? {} : { id: random.pick<unknown>([1, 'a', 0, -1, 1.5, null, hostileText(random)]) };
  let json: unknown = { jsonrpc: '2.0', ...id, method, params };
  if (random.chance(0.15)) json = random.chance(0.3) ? [json, json] : mutated(json, random);
  const key = keyOf(random);
  if (random.chance(0.05)) {
    const listening = hostileStep(
      {
        method: random.pick(['GET', 'DELETE']),
        target: '/mcp',
        key,
        headers: [
          ['accept', 'text/event-stream'],
          ['mcp-protocol-version', revision],
        ],
      },
      random,
    );
    return { door: 'MCP, listening', steps: [listening] };
  }
  const start: readonly Step[] = !isNew && random.chance(0.3) ? [initialise(revision, headers)] : [];
  const endless = method === 'subscriptions/listen' ? { leavesAfterMs: 300 } : {};
  return {
    door: isNew ? 'MCP 2026' : 'MCP 2025',
    steps: [...start, { ...hostileStep({ method: 'POST', target: '/mcp', key, json, headers }, random), ...endless }],
  };
}

function messageOf(
  inventory: Inventory,
  { random, isNew }: { readonly random: Random; readonly isNew: boolean },
): { readonly method: string; readonly params: Readonly<Record<string, unknown>> } {
  const meta = isNew || random.chance(0.2) ? { _meta: metaOf(random) } : {};
  if (random.chance(0.55)) {
    const tool = random.pick(inventory.tools);
    return { method: 'tools/call', params: { name: tool.name, arguments: inputOf(tool, random), ...meta } };
  }
  const own = random.pick([
    {},
    { cursor: hostileText(random) },
    { uri: random.pick(['skill://fortune/SKILL.md', 'file:///etc/passwd', hostileText(random)]) },
    { taskId: random.pick(['{{job}}', 'x', hostileText(random)]) },
    { name: hostileText(random), arguments: {} },
    { requestId: 1, reason: hostileText(random) },
    { level: 'debug' },
    { protocolVersion: random.pick(['2025-11-25', '1', '']), capabilities: {}, clientInfo: { name: hostileText(random), version: '1' } },
    { notifications: { toolsListChanged: true } },
  ]);
  return { method: random.pick(methods), params: { ...own, ...meta } };
}

function initialise(revision: string, headers: Step['headers']): Step {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  return plainStep({ method: 'POST', target: '/mcp', key: 'user', json: { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers });
}
