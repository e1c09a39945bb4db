// The agent's own tools. Callers reach them at the gateway; a turn runs them in its own process. `npm run format` writes this list.
export { handleCancelSchedule } from './cancel-schedule.js';
export { handleGetResult } from './get-result.js';
export { handleListSchedules } from './list-schedules.js';
export { handleReadSkillFile } from './read-skill-file.js';
export { handleScheduleCall } from './schedule-call.js';
export { handleShowBaziChart } from './show-bazi-chart.js';
export { handleShowInsight } from './show-insight.js';
export { handleShowReport } from './show-report.js';
export { handleShowZodiacChart } from './show-zodiac-chart.js';
export { handleUseSkill } from './use-skill.js';
