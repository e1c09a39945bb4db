// Attacks beside the one who measures, so that its own work holds up no measurement.
import { parentPort, workerData } from 'node:worker_threads';
import { attackUntil, attacks, type Attacker } from './attacks.js';

export interface AttackOrder {
  readonly name: string;
  readonly attacker: Attacker;
}

const { name, attacker }: AttackOrder = workerData;
const attack = attacks[name];
if (!attack) throw new RangeError(`there is no attack ${name}`);
const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
parentPort?.postMessage(await attackUntil(stop.signal, attack, attacker));
parentPort?.close();
