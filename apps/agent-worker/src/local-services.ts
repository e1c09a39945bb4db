import type { Invoq, Schedules } from '#lib/client';
import type { SkillLibrary } from '#lib/skills';
import { handlersWith, type ToolContext } from '#lib/handlers';

/** The services of the agent's own tools, which run as jobs and within a turn. */
export interface LocalServices {
  readonly skills: SkillLibrary;
  /** Those of the user for whom a call is made. */
  readonly schedules: (context: Pick<ToolContext, 'caller' | 'effectKey' | 'traceId'>) => Schedules;
  /** Reads results of the caller in parts. */
  readonly results: (context: Pick<ToolContext, 'caller' | 'effectKey' | 'traceId' | 'sessionId'>) => Pick<Invoq, 'result'>;
}

export const handleLocal = handlersWith<LocalServices>();
