// Tools of the tests, one for each rule of a contract that the pipeline heeds.
import { z } from 'zod';
import { defineTool, sensitive, type ToolContract } from '#lib/contracts';

const common = { domain: 'profile', version: '1.2.0', effect: 'read', timeoutMs: 1_000, estimatedTokens: 5 } as const;
const order = z.strictObject({ order: z.string().max(100), note: z.string().max(10).optional() });
const made = z.strictObject({ made: z.string() });
const example = [{ input: { order: 'a' }, output: { made: 'a' } }] as const;

/** Neither cached nor shared: each call is a job of its own. */
export const plain = defineTool({
  ...common,
  name: 'test_plain',
  aliases: ['TestPlain'],
  title: 'Plain',
  description: 'Makes what is ordered.',
  input: order,
  output: made,
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  retry: { network: { times: 2, baseMs: 10 } },
  examples: example,
});

/** Kept for ten minutes, by `order` alone. */
const cached = defineTool({
  ...common,
  name: 'test_cached',
  title: 'Cached',
  description: 'Makes what is ordered, and keeps it.',
  input: order,
  output: made,
  errors: {},
  cache: { ttlSeconds: 600, keyParams: ['order'] },
  examples: example,
});

/** Equal calls share one job. */
const shared = defineTool({
  ...common,
  name: 'test_shared',
  title: 'Shared',
  description: 'Makes what is ordered once for all who order it at the same time.',
  input: order,
  output: made,
  errors: {},
  singleFlight: { windowMs: 0 },
  examples: example,
});

/** Working sessions are apart. */
const bySession = defineTool({
  ...common,
  name: 'test_session',
  title: 'By session',
  description: 'Makes what is ordered in a session.',
  input: order,
  output: made,
  errors: {},
  perSession: true,
  examples: example,
});

/** Announces its end, with a successor. */
export const ending2030 = defineTool({
  ...common,
  name: 'test_ending',
  title: 'Ending',
  description: 'Makes what is ordered until 2030.',
  input: order,
  output: made,
  errors: {},
  sunsetDate: '2030-01-01',
  replacement: 'test_plain',
  examples: example,
});

/** Changes something. */
const writing = defineTool({
  ...common,
  name: 'test_writing',
  title: 'Writing',
  description: 'Writes what is ordered.',
  effect: 'write',
  input: order,
  output: made,
  errors: {},
  examples: example,
});

/** Rests until somebody approves it, unless what is ordered is free. */
const approved = defineTool({
  ...common,
  name: 'test_approved',
  title: 'Approved',
  description: 'Makes what is ordered once somebody has approved it.',
  effect: 'write',
  input: z.strictObject({ order: z.string().max(100), amount: z.number().optional(), card: sensitive(z.string().max(40)).optional() }),
  output: made,
  errors: {},
  approval: { when: 'args.order != "free"', message: 'May this be made?', expires_ms: 3_600_000 },
  examples: example,
});

/** The same of a tool that is kept and shared, where its own caller may approve and has a second. */
const approvedSoon = defineTool({
  ...common,
  name: 'test_approved_soon',
  title: 'Approved soon',
  description: 'Makes what is ordered once somebody has approved it within a second.',
  input: order,
  output: made,
  errors: {},
  cache: { ttlSeconds: 600 },
  singleFlight: { windowMs: 0 },
  approval: { expires_ms: 1_000, self: true },
  examples: example,
});

/** Two cents a call. */
const priced = defineTool({
  ...common,
  name: 'test_priced',
  title: 'Priced',
  description: 'Makes what is ordered, for two cents.',
  input: order,
  output: made,
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  cost: { micros: 20_000 },
  examples: example,
});

/** The same, kept and shared. */
const pricedCached = defineTool({
  ...common,
  name: 'test_priced_cached',
  title: 'Priced and kept',
  description: 'Makes what is ordered for two cents, and keeps it.',
  input: order,
  output: made,
  errors: {},
  cache: { ttlSeconds: 600 },
  singleFlight: { windowMs: 0 },
  cost: { micros: 20_000 },
  examples: example,
});

export const testTools: readonly ToolContract[] = [
  plain,
  cached,
  shared,
  bySession,
  ending2030,
  writing,
  approved,
  approvedSoon,
  priced,
  pricedCached,
];
