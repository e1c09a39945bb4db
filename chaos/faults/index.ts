import type { Fault } from './fault.js';
import { gatewayKill } from './gateway-kill.js';
import { redisFaults } from './redis-faults.js';
import { rollingGateways, rollingWorkers } from './rolling-restart.js';
import { workerKills } from './worker-kill.js';
import { zombieWorker } from './zombie-worker.js';

export const faults: readonly Fault[] = [...workerKills, zombieWorker, gatewayKill, rollingGateways, rollingWorkers, ...redisFaults];
