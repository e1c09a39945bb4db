// The agent's own tools, one line for each. Callers reach them at the gateway; a turn runs them in its own process.
export * from './cancel-schedule.js';
export * from './get-result.js';
export * from './list-schedules.js';
export * from './read-skill-file.js';
export * from './schedule-call.js';
export * from './show-bazi-chart.js';
export * from './show-insight.js';
export * from './show-report.js';
export * from './show-zodiac-chart.js';
export * from './use-skill.js';
