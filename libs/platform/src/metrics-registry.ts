import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of the process: there is one Node.js and one log in it, however many gateways and workers share them. */
export const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });
