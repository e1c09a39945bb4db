import { batchFaults } from './batch-faults.js';
import { capacityFaults } from './capacity-faults.js';
import { clientFaults } from './client-faults.js';
import { compound } from './compound.js';
import { decisionFaults } from './decision-faults.js';
import type { Fault } from './fault.js';
import { gatewayKill } from './gateway-kill.js';
import { lossFaults } from './loss-faults.js';
import { postgresFaults } from './postgres-faults.js';
import { processFaults } from './process-faults.js';
import { moreRedisFaults, redisKill, redisPauses } from './redis-faults.js';
import { rollingGateways, rollingWorkers } from './rolling-restart.js';
import { stepKills } from './step-kills.js';
import { stepFaults } from './step-faults.js';
import { upstreamFaults } from './upstream-faults.js';
import { userWorkerFaults } from './user-workers.js';
import { wayFaults } from './way-faults.js';
import { webhookFaults } from './webhook-faults.js';
import { budgetFaults } from './budget-faults.js';
import { costFaults } from './cost-faults.js';
import { fileFaults } from './file-faults.js';
import { flowFaults } from './flow-faults.js';
import { workerKills } from './worker-kill.js';
import { zombieWorker } from './zombie-worker.js';

/** Without `--all`. */
export const quickFaults: readonly Fault[] = [
  ...workerKills,
  zombieWorker,
  gatewayKill,
  rollingGateways,
  rollingWorkers,
  redisKill,
  ...redisPauses,
];

export const allFaults: readonly Fault[] = [
  ...quickFaults,
  ...moreRedisFaults,
  ...wayFaults,
  ...stepFaults,
  ...postgresFaults,
  ...processFaults,
  ...upstreamFaults,
  ...clientFaults,
  ...capacityFaults,
  ...userWorkerFaults,
  ...fileFaults,
  ...stepKills,
  ...decisionFaults,
  ...webhookFaults,
  ...budgetFaults,
  ...costFaults,
  ...flowFaults,
  ...batchFaults,
  compound,
  ...lossFaults,
];

/** A fault that a test shows, which runs with all others and needs no load. */
export interface ShownByTest {
  readonly id: string;
  readonly title: string;
  /** Paths from the root. */
  readonly tests: readonly string[];
}

export const shownByTests: readonly ShownByTest[] = [
  {
    id: 'F18',
    title: 'Stripe refuses for a while, in every way',
    tests: ['test/e2e/scenarios/stripe-fault-matrix.long.test.ts', 'libs/handlers/src/retry-after.test.ts'],
  },
  {
    id: 'F19',
    title: 'an upstream that answers too slowly, or a byte a second',
    tests: ['test/e2e/scenarios/stripe-fault-matrix.long.test.ts'],
  },
  {
    id: 'F21',
    title: 'an upstream that answers garbage, too much, or leads elsewhere',
    tests: [
      'test/e2e/scenarios/outside-misbehaviour.long.test.ts',
      'test/e2e/scenarios/stripe-fault-matrix.long.test.ts',
      'libs/platform/src/bounded-fetch.test.ts',
    ],
  },
  { id: 'F24', title: 'payloads that harm whoever reads them', tests: ['test/e2e/scenarios/bad-input.test.ts'] },
  { id: 'F29', title: 'more work than the workers can do', tests: ['test/e2e/scenarios/overload.long.test.ts'] },
  { id: 'F30', title: 'a thousand calls of one tenant, and a neighbour', tests: ['test/e2e/scenarios/overload.long.test.ts'] },
  {
    id: 'F44',
    title: 'a rest that moves to Postgres while it is woken, decided or cancelled, and whoever moves it dies',
    tests: ['apps/gateway/src/later/resting/resting.integration.test.ts'],
  },
  {
    id: 'F52',
    title: 'the worker that runs code of a model dies while a call of it runs, one that changes something, too',
    tests: ['test/e2e/scenarios/code-mode.test.ts', 'apps/agent-worker/src/code/inner-calls.test.ts'],
  },
  {
    id: 'F47',
    title: 'a receiver of webhooks that hangs, is away for a day, or asks for less',
    tests: ['apps/gateway/src/webhooks/delivering.integration.test.ts', 'apps/gateway/src/webhooks/verdict.test.ts'],
  },
  {
    id: 'F35',
    title: 'processes of two builds side by side',
    tests: ['test/e2e/scenarios/versions.test.ts', 'libs/transport/src/record/old-records.integration.test.ts'],
  },
];
