import type { SkillLibrary } from '#lib/skills';
import { handlersWith } from '#lib/handlers';

/** The services of the agent's own tools, which run as jobs and within a turn. */
export interface LocalServices {
  readonly skills: SkillLibrary;
}

export const handleLocal = handlersWith<LocalServices>();
