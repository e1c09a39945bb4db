/**
 * Models of other makers and the settings that choose them: language models, embedding providers and rerankers.
 *
 * `createLanguageModel`, `createEmbedder` and `createReranker` each take the settings of the same name. They check the settings at once
 * and connect when first used. libs/retrieval takes the results as its `Embedder` and `Reranker`.
 */
export { createEmbedder, embeddingSettings } from './embedding/create-embedder.js';
export { createLanguageModel, languageModelSettings, modelFault, type LanguageModelSettings } from './language/create-language-model.js';
export { providerNamed } from './language/measured-model.js';
export { modelPrices, priceOf } from './language/model-prices.js';
export { createReranker, rerankerSettings } from './reranking/create-reranker.js';
