import type { GatewaySettings } from '../config.js';
import { byRules, type Checker } from './metacognition.js';

/** A model where one is named, the rules alone elsewhere. Throws an Error that names a missing setting of the model. */
export async function checkerFor({
  METACOGNITION_MODEL: MODEL,
  ...settings
}: Pick<GatewaySettings, 'METACOGNITION_MODEL' | 'MODEL_BASE_URL' | 'MODEL_API_KEY'>): Promise<Checker> {
  if (!MODEL) return byRules;
  // Loaded when used: a gateway without a model stays small.
  const [{ createLanguageModel }, { byModel }] = await Promise.all([import('#lib/models'), import('./by-model.js')]);
  const model = createLanguageModel({ MODEL, ...settings });
  return model ? byModel(model) : byRules;
}
