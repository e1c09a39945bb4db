import type { Driver, Target } from './call.js';
import { bullQueues } from '../system/bull-queue.js';
import { openBullMq } from './bullmq.js';
import { openHttpEcho } from './http-echo.js';
import { openRedisList } from './redis-list.js';
import { openAsyncCall, openCachedCall, openMcpCall, openStreamCall, openUncachedCall } from './tool-call.js';

interface Subject {
  readonly title: string;
  readonly open: (target: Target, callers: number) => Promise<Driver>;
}

/** What is measured, in the order of a round. */
export const subjects = {
  list: { title: 'Redis list round trip', open: openRedisList },
  bullmq: { title: 'BullMQ, 64 places in the worker', open: openBullMq(bullQueues.bullmq) },
  bullmqFew: { title: 'BullMQ, 8 places in the worker', open: openBullMq(bullQueues.bullmqFew) },
  fastify: { title: 'Fastify route', open: openHttpEcho },
  uncached: { title: 'POST /tools/calc_metrics, computed', open: openUncachedCall },
  async: { title: '202, then GET /jobs/{id}?wait', open: openAsyncCall },
  stream: { title: 'POST /tools/calc_metrics/sse', open: openStreamCall },
  mcp: { title: 'MCP 2026-07-28', open: openMcpCall },
  cached: { title: 'POST /tools/calc_metrics, cached', open: openCachedCall },
} as const satisfies Record<string, Subject>;

export type SubjectName = keyof typeof subjects;
export const subjectNames = [
  'list',
  'bullmq',
  'bullmqFew',
  'fastify',
  'uncached',
  'async',
  'stream',
  'mcp',
  'cached',
] as const satisfies readonly SubjectName[];
