// Node runs this file without a build: only erasable type syntax.
import { totalmem } from 'node:os';

/** Bytes that this process and those that it starts may have. */
export function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
