import { showBaziChart } from '#lib/contracts';
import { baziChart } from '../charts/bazi.js';
import { warnOfClock } from '../charts/civil-time.js';
import { handleLocal } from '../local-services.js';

export const handleShowBaziChart = handleLocal(showBaziChart, (birth, { warn }) => {
  warnOfClock(birth, warn);
  return { type: 'bazi_chart' as const, ...baziChart(birth) };
});
