import type { PolicyVerdict } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand, oneOf, wholeNumber } from './command.js';
import { connect } from './connect.js';
import { objectIn } from './json-option.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY. Policies are looked at in the order of their names; the first that holds counts.`;
const json = { type: 'boolean', help: 'as JSON' } as const;
const rulings = ['deny', 'ask'] as const;

export const listPolicies = defineCommand({
  options: { json },
  notes,
  async run({ values: { json: asJson } }) {
    const { policies } = await connect('admin').policies.list();
    if (asJson) return print(JSON.stringify(policies, null, 2));
    printTable(
      ['name', 'then', 'when', 'problem'],
      policies.map(({ name, then, when, problem }) => [name, then, when, problem]),
    );
  },
});

export const putPolicy = defineCommand({
  positionals: ['<name>'],
  options: {
    when: { type: 'string', value: '<cel>', help: 'such as \'tool.name == "refund" && args.amount > 100\'' },
    then: { type: 'string', value: '<ruling>', help: 'deny, or ask a person' },
    message: { type: 'string', value: '<text>', help: 'what the caller is told, or the person who is asked' },
    expires: { type: 'string', value: '<ms>', help: 'for ask: how long a person has (default: a day)' },
    self: { type: 'boolean', help: 'for ask: who made the call may approve it' },
  },
  notes: `Makes a policy, or puts it in the place of another. Try it first: invoq policies test\n\n${notes}`,
  async run({ positionals: [name = ''], values }) {
    const { when, message, self } = values;
    const then = oneOf('--then', values.then, rulings);
    const expires = wholeNumber('--expires', values.expires, { min: 1_000, max: 31_536_000_000 });
    if (when === undefined || then === undefined) throw new UsageError('--when and --then are needed');
    const made = await connect('admin').policies.put(name, {
      when,
      then,
      ...(message !== undefined && { message }),
      ...(expires !== undefined && { expires_ms: expires }),
      ...(self !== undefined && { self }),
    });
    print(`${made.name}: ${made.then === 'ask' ? 'a person is asked' : 'calls are denied'} when ${made.when}`);
  },
});

export const testPolicies = defineCommand({
  positionals: ['<tool>'],
  options: {
    arguments: { type: 'string', value: '<json>', help: 'the parameters of the tool, a JSON object' },
    when: { type: 'string', value: '<cel>', help: 'instead of the policies of your tenant' },
    user: { type: 'string', value: '<id>', help: 'as if this user called' },
    tier: { type: 'string', value: '<tier>', help: 'as if the caller had this tier' },
    at: { type: 'string', value: '<time>', help: 'as if it were this time: ISO 8601 with an offset' },
    json,
  },
  notes: `Says what becomes of a call, and makes none.\n\n${notes}`,
  async run({ positionals: [tool = ''], values }) {
    const { when, user, at } = values;
    const tier = oneOf('--tier', values.tier, ['free', 'pro', 'vip']);
    const verdict = await connect('admin').policies.test({
      tool,
      arguments: objectIn('--arguments', values.arguments ?? '{}'),
      ...(when !== undefined && { policy: { when } }),
      caller: { ...(user !== undefined && { user }), ...(tier !== undefined && { tier }) },
      ...(at !== undefined && { at }),
    });
    print(values.json ? JSON.stringify(verdict, null, 2) : told(verdict));
  },
});

export const deletePolicy = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes,
  async run({ positionals: [name = ''] }) {
    print(`Deleted ${(await connect('admin').policies.delete(name)).name}`);
  },
});

function told({ outcome, policy, message, policies }: PolicyVerdict): string {
  const head = [outcome, policy !== null && `by ${policy}`, message !== null && `"${message}"`].filter((part) => part !== false).join(' ');
  const lines = policies.flatMap(({ name, holds, error, because, cost_us }) => [
    `  ${name ?? 'given'}: ${error ?? (holds ? 'holds' : 'does not hold')} (${cost_us} µs)`,
    ...because.map(({ part, value }) => `    ${value === null ? '?' : String(value)}  ${part}`),
  ]);
  return [head, ...lines].join('\n');
}
