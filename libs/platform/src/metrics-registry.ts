import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of the process, served on /metrics: those of Node.js, and whatever registers itself here. */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
