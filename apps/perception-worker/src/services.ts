import type { KeptFiles } from '#lib/files';
import { handlersWith } from '#lib/handlers';
import type { Renderer } from './report/renderer.js';
import type { OpenMeteo } from './weather/open-meteo.js';

/** What the handlers of this worker get in addition to their context. */
export interface PerceptionServices {
  readonly weather: Pick<OpenMeteo, 'searchPlaces' | 'current' | 'airQuality'>;
  readonly reports: Pick<Renderer, 'render'>;
  readonly reportFiles: ReportFiles;
}

/** Where tools store their files. */
export interface ReportFiles extends Pick<KeptFiles, 'keep'> {
  /** Of reports. */
  readonly visibility: 'private' | 'public';
}

export const handle = handlersWith<PerceptionServices>();
