import type { Caller } from '#lib/contracts';
import type { FileLinks, Files, StoredFile } from '#lib/files';
import { handlersWith } from '#lib/handlers';
import type { Renderer } from './report/renderer.js';
import type { OpenMeteo } from './weather/open-meteo.js';

/** What the handlers of this worker get in addition to their context. */
export interface PerceptionServices {
  readonly weather: Pick<OpenMeteo, 'searchPlaces' | 'current' | 'airQuality'>;
  readonly reports: Pick<Renderer, 'render'>;
  readonly reportFiles: ReportFiles;
}

/** Where tools store their files, and how they link to them. */
export interface ReportFiles {
  readonly files: Pick<Files, 'save'>;
  readonly linkTo: (file: StoredFile, maker: Caller) => ReturnType<FileLinks['linkTo']>;
  readonly visibility: 'private' | 'public';
  readonly keepMs: number;
}

export const handle = handlersWith<PerceptionServices>();
