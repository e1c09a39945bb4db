// A process that makes load for one subject. Argument: the subject. Where things are comes in BENCH_TARGET.
import { z } from 'zod';
import type { Driver } from './load/call.js';
import { closedLoop } from './load/closed-loop.js';
import { loadRequest, target, type LoadReply, type LoadRequest } from './load/messages.js';
import { subjectNames, subjects } from './load/subjects.js';
import { serveParent } from './system/parent.js';

const subject = subjects[z.enum(subjectNames).parse(process.argv[2])];
const place = target.parse(JSON.parse(process.env['BENCH_TARGET'] ?? '{}'));
let driver: Driver | null = null;

serveParent({}, async (message) => answer(loadRequest.parse(message)));

async function answer(request: LoadRequest): Promise<LoadReply> {
  if (request.kind === 'warm-up') driver ??= await subject.open(place, request.callers);
  if (!driver) throw new Error('measured before it was warmed up');
  const sample = await closedLoop(driver.calls, request.ms);
  const reply = { ...sample, workerRuns: driver.workerRuns() };
  if (request.kind === 'measure') {
    await driver[Symbol.asyncDispose]();
    driver = null;
  }
  return reply;
}
