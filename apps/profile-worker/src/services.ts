import { handlersWith } from '#lib/handlers';
import type { BmiStandard } from './health-metrics.js';
import type { Profiles } from './profiles.js';

/** What the handlers of this worker get besides their context. */
export interface ProfileServices {
  readonly profiles: Profiles;
  readonly bmiStandard: BmiStandard;
}

export const handle = handlersWith<ProfileServices>();
