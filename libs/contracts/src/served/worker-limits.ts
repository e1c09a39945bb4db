import { mostCostMicros, mostReportedMicros } from '../cost.js';

/** What the gateway takes of the messages of a worker. Lengths are in UTF-16 units. Python reads them from `limits.json`. */
export const workerLimits = {
  /** A message, a warning, a line of the log. */
  text: 2_000,
  /** What workers send of the text of a progress. */
  progressText: 1_000,
  warnings: 20,
  faults: 50,
  /** Name of a parameter in a fault. */
  path: 200,
  factName: 50,
  fact: 200,
  errorName: 64,
  causeType: 100,
  stack: 8_000,
  /** The longest time that is told, a day. */
  waitMs: 86_400_000,
  answerVersion: 200,
  attemptId: 120,
  /** Events of one message. */
  outputEvents: 1_000,
  /** What one attempt waits for at the same time. */
  waits: 100,
  /** Messages of one request. */
  messages: 200,
  /** Files of one attempt. */
  files: 20,
  /** Bytes of one piece of a file, before base64. */
  filePieceBytes: 524_288,
  fileName: 255,
  contentType: 127,
  /** Contracts of one connection. */
  tools: 100,
  concurrency: 256,
  workerName: 100,
  costMicros: mostCostMicros,
  reportedMicros: mostReportedMicros,
} as const;
