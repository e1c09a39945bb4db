import { showZodiacChart } from '#lib/contracts';
import { warnOfClock } from '../charts/civil-time.js';
import { zodiacChart } from '../charts/zodiac.js';
import { handleLocal } from '../local-services.js';

export const handleShowZodiacChart = handleLocal(showZodiacChart, (birth, { warn }) => {
  warnOfClock(birth, warn);
  return { type: 'zodiac_chart' as const, ...zodiacChart(birth) };
});
