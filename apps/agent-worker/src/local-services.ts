import type { SkillLibrary } from '#lib/skills';
import { handlersWith } from '#lib/worker';

/** What the agent's own tools need: they run by themselves and within a turn. */
export interface LocalServices {
  readonly skills: SkillLibrary;
}

export const handleLocal = handlersWith<LocalServices>();
