// Loaded into every process of the system before its own code: measures what can only be seen from inside. Writes lines of JSON to
// the log of the process.
import type { InsideLine } from './lines.js';

const tickMs = 25;
/** A gap shorter than this is not reported. */
const reportedMs = 150;
const sampleMs = 1_000;

function report(line: InsideLine): void {
  process.stderr.write(`${JSON.stringify({ level: 'info', name: 'fuzz', ...line })}\n`);
}

let [before, cpuBefore] = [performance.now(), process.threadCpuUsage()];
setInterval(() => {
  const now = performance.now();
  const cpu = process.threadCpuUsage();
  const wallMs = now - before - tickMs;
  const cpuMs = (cpu.user + cpu.system - cpuBefore.user - cpuBefore.system) / 1_000;
  if (wallMs > reportedMs) report({ event: 'fuzz-stall', wall_ms: Math.round(wallMs), cpu_ms: Math.round(cpuMs), at: Date.now() });
  [before, cpuBefore] = [now, cpu];
}, tickMs).unref();

setInterval(() => {
  const { rss, heapUsed: heap, external } = process.memoryUsage();
  report({ event: 'fuzz-memory', rss, heap, external, at: Date.now() });
  const keys: string[] = [];
  for (const key in {}) keys.push(key);
  if (keys.length > 0) report({ event: 'fuzz-polluted', keys, at: Date.now() });
}, sampleMs).unref();
