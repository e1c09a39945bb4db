import { showZodiacChart } from '#lib/contracts';
import { zodiacChart } from '../charts/zodiac.js';
import { handleLocal } from '../local-services.js';

export const handleShowZodiacChart = handleLocal(showZodiacChart, (birth) => ({ type: 'zodiac_chart' as const, ...zodiacChart(birth) }));
