/** Language models by the settings MODEL, MODEL_BASE_URL and MODEL_API_KEY, the same for every process that asks one. */
export { languageModel, type ModelSettings } from './language-model.js';
