import type { z } from 'zod';
import { embeddingSettings, rerankerSettings } from '#lib/models';
import { workerSettings } from '#lib/platform';

export const knowledgeSettings = { ...workerSettings, ...embeddingSettings, ...rerankerSettings } as const;

export type KnowledgeSettings = z.output<z.ZodObject<typeof knowledgeSettings>>;
