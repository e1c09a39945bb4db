// What each app reads from its environment.
import type { z } from 'zod';
import { timeoutSettings, tools } from '#lib/contracts';
import { modelFault } from '#lib/models';
import { settingFaults, workerSettings, type SettingFault } from '#lib/platform';
import { agentSettings } from '../apps/agent-worker/src/config.js';
import { gatewaySettings } from '../apps/gateway/src/config.js';
import { knowledgeSettings } from '../apps/knowledge-worker/src/config.js';
import { memotreeSettings } from '../apps/memotree-worker/src/config.js';
import { perceptionSettings } from '../apps/perception-worker/src/config.js';
import { profileSettings } from '../apps/profile-worker/src/config.js';
import { stripeSettings } from '../apps/stripe-worker/src/config.js';

const own: Readonly<Record<string, z.ZodRawShape>> = {
  gateway: { ...gatewaySettings, ...timeoutSettings(tools) },
  'profile-worker': profileSettings,
  'knowledge-worker': knowledgeSettings,
  'agent-worker': agentSettings,
  'perception-worker': perceptionSettings,
  'stripe-worker': { ...stripeSettings, ...timeoutSettings(tools) },
  'memotree-worker': memotreeSettings,
};

/** What a start and its commands read besides. */
const ofCommands = [
  'DOMAINS',
  'WORKERS',
  'PORT',
  'TOOLS_DIR',
  'INVOQ_DATA_DIR',
  'INVOQ_URL',
  'INVOQ_API_KEY',
  'INVOQ_ADMIN_KEY',
  'INVOQ_SERVE_KEY',
];

/** The names of all settings. */
export const allSettings: readonly string[] = [
  ...new Set([...ofCommands, ...Object.keys(workerSettings), ...Object.values(own).flatMap((shape) => Object.keys(shape))]),
];

/** All that is wrong with the settings of an app, also what several of them say together. */
export function faultsOfApp(app: string): readonly SettingFault[] {
  const shape = settingsOf(app);
  const model = 'MODEL' in shape ? modelFault(process.env) : null;
  return [...settingFaults(shape), ...(model ? [model] : [])];
}

/** The settings of an app; those of every worker for one that has none of its own. */
export function settingsOf(app: string): z.ZodRawShape {
  return own[app] ?? workerSettings;
}
