// What was sent and what came back, in numbers.
import type { Exchange } from './requests/send.js';

interface DoorTally {
  requests: number;
  /** By class of status, such as `4xx`, or by how it ended without one. */
  readonly answers: Map<string, number>;
}

export class Tally {
  requests = 0;
  cases = 0;
  longestMs = 0;
  readonly doors = new Map<string, DoorTally>();
  readonly statuses = new Map<string, number>();

  add(door: string, { replies, end, ms }: Exchange): void {
    const sent = Math.max(1, replies.length);
    this.requests += sent;
    this.longestMs = Math.max(this.longestMs, ms);
    const tally = this.doors.get(door) ?? { requests: 0, answers: new Map<string, number>() };
    this.doors.set(door, tally);
    tally.requests += sent;
    for (const status of replies.length > 0 ? replies.map((reply) => String(reply.status)) : [end === 'whole' ? 'closed' : end]) {
      increase(this.statuses, status);
      increase(tally.answers, /^\d/.test(status) ? `${status.slice(0, 1)}xx` : status);
    }
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
