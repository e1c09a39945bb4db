import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { collectionName, queryText } from './fields.js';

const domains = ['nutrition', 'exercise', 'sleep', 'mental', 'general'] as const;

const documented = {
  title: z.string().describe('Title of the section.'),
  content: z.string(),
  source: z.string().describe('Organisation, document, year; else the page.'),
  confidence_score: z.number().min(0).max(1).describe('How probable it is that the section answers the query; never rises down the list.'),
  last_updated: z.iso.datetime(),
  tags: z.array(z.string()),
};

const answer = {
  query: z.string().describe('As it was searched for: trimmed.'),
  domain: z.enum(domains),
  total_count: z.int().min(0).describe('All matches that were found, before max_results.'),
  search_time_ms: z.int().min(0),
};

/** SearchKnowledge of the AuraWell contracts v2.0 (AW-32…37). */
export const searchKnowledge = defineTool({
  name: 'search_knowledge',
  aliases: ['SearchKnowledge'],
  version: '2.0.0',
  changelog: { '2.0.0': 'The AuraWell contract v2.0.' },
  title: 'Knowledge search',
  description:
    'Find the sections of sourced articles that answer a question, in Chinese or English, each with its source and a confidence. Without a domain it looks through all health domains; it says nothing about one person.',
  zh: {
    title: '知识检索',
    description: '从有来源的文章中查找回答问题的段落，支持中文和英文，每段都有来源和置信度。不指定领域时检索全部健康领域；不涉及任何个人。',
  },
  domain: 'knowledge',
  source: 'aurawell',
  effect: 'read',
  input: z.strictObject({
    query: queryText(200, 'The question or key words, 1–200 characters, in Chinese or English.'),
    domain: z.enum(domains).default('general').describe('Health domain to look in; general looks in all of them.'),
    max_results: z.int().min(1).max(20).default(5).describe('Results given back, 1–20.'),
    collection: collectionName.default('health'),
    tags: z.array(z.string().min(1).max(64)).max(10).optional().describe('Only pages with all of these tags.'),
    type: z.enum(['public', 'internal']).optional().describe('Only public or only internal pages.'),
  }),
  output: z.object({
    ...answer,
    results: z.array(
      z.object({
        ...documented,
        title_en: z.string().optional(),
        page: z.string().describe('Title of the page that the section is on.'),
        link: z.string().optional().describe('Public address or repository path, with the anchor of the section.'),
        document_id: z.string().describe('For get_document.'),
        highlight: z.object({
          snippet: z.string().describe('The sentences around the best match.'),
          matches: z.array(z.string()).describe('Words of the snippet that match.'),
        }),
      }),
    ),
  }),
  nativeOutput: z.object({ ...answer, results: z.array(z.object(documented)) }),
  errors: {},
  nativeCodes: {
    INVALID_PARAMS: (faults) => {
      if (faults.some(({ path, kind }) => path === 'query' && kind === 'range')) return 'QUERY_TOO_SHORT';
      return faults.some(({ path, kind }) => path === 'domain' && kind === 'enum') ? 'DOMAIN_INVALID' : 'INVALID_INPUT';
    },
  },
  failures: {
    network: 'SERVICE_UNAVAILABLE',
    timeout: 'SERVICE_UNAVAILABLE',
    'rate-limit': 'SERVICE_UNAVAILABLE',
    service: 'SERVICE_UNAVAILABLE',
    internal: 'SERVICE_UNAVAILABLE',
  },
  timeoutMs: 10_000,
  retry: { network: { times: 3, baseMs: 200 }, timeout: { times: 1, baseMs: 200 } },
  priority: 1,
  estimatedTokens: { input: 60, output: { min: 60, typical: 1_200, max: 12_000 } },
  examples: [
    {
      input: { query: '每天应该睡几个小时', domain: 'sleep', max_results: 1 },
      output: {
        query: '每天应该睡几个小时',
        domain: 'sleep',
        results: [
          {
            title: '成年人需要多少睡眠',
            content: '成年人每晚宜睡 7 小时或更多。',
            source: 'AASM, Recommended Amount of Sleep, 2015',
            confidence_score: 0.91,
            last_updated: '2026-11-01T00:00:00.000Z',
            tags: ['sleep'],
            title_en: 'How much sleep adults need',
            page: '睡眠',
            link: 'knowledge/health/sleep.md#how-much',
            document_id: '00000000-0000-4000-8000-000000000000',
            highlight: { snippet: '成年人每晚宜睡 7 小时或更多。', matches: ['睡', '小时'] },
          },
        ],
        total_count: 12,
        search_time_ms: 9,
      },
    },
  ],
});
