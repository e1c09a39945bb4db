import { calcMetrics } from '#lib/contracts';
import { computeHealthMetrics } from '../health-metrics.js';
import { handle } from '../services.js';

const standardNames = { who: 'WHO', cn: 'Chinese adult (WS/T 428)' } as const;

export const handleCalcMetrics = handle(calcMetrics, (body, { bmiStandard, setMessage, warn }) => {
  const { metrics, caveats } = computeHealthMetrics(body, bmiStandard);
  setMessage(`BMI category by the ${standardNames[bmiStandard]} cut-offs.`);
  for (const caveat of caveats) warn(caveat);
  return metrics;
});
