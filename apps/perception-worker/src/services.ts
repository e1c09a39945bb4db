import { handlersWith } from '#lib/worker';
import type { OpenMeteo } from './weather/open-meteo.js';

/** What the handlers of this worker get besides their context. */
export interface PerceptionServices {
  readonly weather: Pick<OpenMeteo, 'find' | 'now'>;
}

export const handle = handlersWith<PerceptionServices>();
