import { showBaziChart } from '#lib/contracts';
import { baziChart } from '../charts/bazi.js';
import { handleLocal } from '../local-services.js';

export const handleShowBaziChart = handleLocal(showBaziChart, (birth) => ({ type: 'bazi_chart' as const, ...baziChart(birth) }));
