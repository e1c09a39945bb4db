// A worker of a tenant with the handler of calc_metrics under a name of its own: the same work as in our own domain, served from outside.
import { defineTool, calcMetrics } from '#lib/contracts';
import { handle, serve } from '#lib/serve';
import { computeHealthMetrics } from '../../apps/profile-worker/src/health-metrics.js';
import { serveParent } from '../system/parent.js';

const { name: _, aliases: _aliases, source: _source, nativeCodes: _codes, failures: _failures, ...contract } = calcMetrics;
const tool = handle(defineTool({ ...contract, name: 'calc_metrics_served', domain: 'own-bench' }), (body, { setMessage, warn }) => {
  const { metrics, caveats } = computeHealthMetrics(body, 'who');
  setMessage('BMI category by the WHO cut-offs.');
  for (const caveat of caveats) warn(caveat);
  return metrics;
});

const served = Promise.withResolvers<void>();
const worker = serve({
  tools: [tool],
  url: process.env['INVOQ_URL'] ?? '',
  key: process.env['INVOQ_API_KEY'] ?? '',
  domain: 'bench',
  concurrency: 64,
  onEvent: ({ kind }) => {
    if (kind === 'serving') served.resolve();
  },
});
await Promise.race([served.promise, worker.stopped]);
serveParent({});
await worker.stopped;
// The channel to the parent would keep it.
process.exit();
