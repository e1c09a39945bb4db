import { showInsight } from '#lib/contracts';
import { handleLocal } from '../local-services.js';

export const handleShowInsight = handleLocal(showInsight, (insight) => ({
  status: 'shown' as const,
  type: 'insight' as const,
  ...insight,
}));
