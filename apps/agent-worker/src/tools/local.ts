// The agent's own tools, a line a tool: called by anybody at the gateway, and within a turn where it runs.
export * from './read-skill-file.js';
export * from './show-bazi-chart.js';
export * from './show-insight.js';
export * from './show-report.js';
export * from './show-zodiac-chart.js';
export * from './use-skill.js';
