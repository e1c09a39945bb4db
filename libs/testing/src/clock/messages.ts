/** Environment variable with the offset in ms at which a process starts. */
export const clockVariable = 'TEST_CLOCK_OFFSET_MS';

/** Sent to a process to move its clock. The process sends it back when its clock is moved. */
export interface ClockMove {
  readonly clockOffsetMs: number;
}

export function isMove(message: unknown): message is ClockMove {
  return typeof message === 'object' && message !== null && 'clockOffsetMs' in message && typeof message.clockOffsetMs === 'number';
}
