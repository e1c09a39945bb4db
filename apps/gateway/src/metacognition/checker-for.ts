import type { GatewaySettings } from '../config.js';
import { byRules, type Checker } from './metacognition.js';

/** A model where one is named, the rules alone elsewhere. */
export async function checkerFor(
  settings: Pick<GatewaySettings, 'METACOGNITION_MODEL' | 'MODEL_BASE_URL' | 'MODEL_API_KEY'>,
): Promise<Checker> {
  const { METACOGNITION_MODEL: model, MODEL_BASE_URL: baseUrl, MODEL_API_KEY: apiKey } = settings;
  if (!model || !baseUrl) return byRules;
  // Loaded when used: a gateway without it stays small.
  const { byModel } = await import('./by-model.js');
  return byModel({ baseUrl, apiKey, model });
}
