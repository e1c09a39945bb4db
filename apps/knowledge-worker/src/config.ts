import { embeddingSettings, rerankerSettings } from '#lib/models';
import { workerSettings } from '#lib/platform';

export const knowledgeSettings = { ...workerSettings, ...embeddingSettings, ...rerankerSettings } as const;
