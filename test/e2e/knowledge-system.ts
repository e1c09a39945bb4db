import { expect } from '@jest/globals';
import { z } from 'zod';
import { startSystem, type HttpCaller, type System, type SystemOptions } from '#lib/testing';
import { expectSuccess } from './expectations.js';

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/knowledge-worker/src/main.js' };

/** Gateway and knowledge worker, without the starter knowledge: each test brings its own documents. */
export function startKnowledge(options: SystemOptions = {}): Promise<System> {
  return startSystem({ ...options, mains });
}

export interface DocumentInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: 'base64';
}

/** Imports as an administrator does; every document must be readable. */
export async function importAll(
  admin: HttpCaller,
  collection: string,
  documents: readonly DocumentInput[],
): Promise<Readonly<Record<string, unknown>>> {
  const data = expectSuccess((await admin.call('import_documents', { collection, documents })).envelope);
  expect(data['skipped']).toEqual([]);
  return data;
}

export interface PageFacts {
  readonly title: string;
  readonly domain?: string;
  readonly type?: 'public' | 'internal';
  readonly tags?: readonly string[];
  readonly source_url?: string;
  readonly repo_path?: string;
  readonly source?: string;
  readonly updated?: string;
}

/** A Markdown page with front matter. */
export function page(facts: PageFacts, body: string): string {
  return `---\n${Object.entries(facts)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n${body}`;
}

export const resultsShape = z.object({
  query: z.string(),
  domain: z.string(),
  results: z.array(
    z.looseObject({
      title: z.string(),
      content: z.string(),
      source: z.string(),
      confidence_score: z.number().min(0).max(1),
      last_updated: z.iso.datetime(),
      tags: z.array(z.string()),
    }),
  ),
  total_count: z.int().min(0),
  search_time_ms: z.int().min(0),
});
