export { lintSkills, type LintLine } from './lint.js';
export { coreSkill, SkillLibrary, type Skill, type SkillFault, type SkillSet } from './skill-library.js';
export { toPromptData, buildSystemPrompt, withRequired } from './system-prompt.js';
