import { showReport } from '#lib/contracts';
import { handleLocal } from '../local-services.js';

/** The output is the input: the client renders it. */
export const handleShowReport = handleLocal(showReport, (report) => ({ status: 'shown' as const, type: 'report' as const, ...report }));
