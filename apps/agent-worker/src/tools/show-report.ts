import { showReport } from '#lib/contracts';
import { handleLocal } from '../local-services.js';

/** What is shown is what was given: the client draws it. */
export const handleShowReport = handleLocal(showReport, (report) => ({ status: 'shown' as const, type: 'report' as const, ...report }));
