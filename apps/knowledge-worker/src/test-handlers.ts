// The handlers of this worker as an attempt runs them, on knowledge that a test makes up.
import type { FoundSection } from '#lib/knowledge';
import { Metrics, SignedCursors } from '#lib/transport';
import { runTool, type Handler } from '#lib/handlers';
import { searchPosition, type KnowledgeServices, type SearchPosition } from './services.js';

const unused = (): never => {
  throw new Error('this service is not asked');
};

/** Services of which a test gives those that its handler asks. */
export function services(given: {
  readonly knowledge?: Partial<KnowledgeServices['knowledge']>;
  readonly sectionsChanged?: () => Promise<void>;
}): KnowledgeServices {
  const { search = unused, documents = unused, document = unused } = given.knowledge ?? {};
  return {
    knowledge: { search, documents, document },
    cursors: new SignedCursors<SearchPosition>([{ id: 'k1', key: Buffer.alloc(32, 7) }], searchPosition),
    importing: { pool: { query: unused, connect: unused }, vectors: null, turns: { acquire: unused } },
    metrics: new Metrics(),
    reader: { read: unused },
    sectionsChanged: given.sectionsChanged ?? unused,
  };
}

export const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;

export function run(...[handler, given, input, who = {}]: [Handler<KnowledgeServices>, KnowledgeServices, unknown, object?]) {
  const stop = new AbortController().signal;
  return runTool(handler, given, {
    jobId: 'j',
    number: 1,
    input,
    caller: { ...caller, ...who },
    sessionId: null,
    stop,
    onProgress: () => undefined,
  });
}

/** A section that was found, as a test wants it. */
export function found(confidence: number, section: Partial<FoundSection['section']> = {}): FoundSection {
  return {
    confidence,
    parts: { coverage: 1, head_coverage: 1, unknown: 0, gap: 0, keyword: 1, lead: 1 },
    section: {
      id: 1,
      documentId: '00000000-0000-4000-8000-000000000001',
      collection: 'health',
      page: '睡眠',
      path: 'sleep.md',
      type: 'public',
      tags: ['rest'],
      lastUpdated: new Date('2026-02-03T00:00:00Z'),
      anchor: 'hours',
      headingPath: [],
      title: '多久',
      titleEn: 'How long',
      summary: null,
      keyTerms: [],
      content: '成年人七小时睡眠。',
      source: 'AASM, 2015',
      link: 'https://example.com/sleep#hours',
      ...section,
    },
  };
}

export const took = { keyword: 1, vector: 2, rank: 3, total: 6 };
