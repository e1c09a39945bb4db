import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redact } from '../../derive/redaction.js';
import { refusalOf, testErrors, testParameters } from '../../test-parameters.js';
import { validateInput } from '../../validate.js';
import { citationHelper } from './citation-helper.js';
import { queryText } from './fields.js';
import { getDocument } from './get-document.js';
import { importDocuments } from './import-documents.js';
import { searchDocuments } from './search-documents.js';
import { searchKnowledge } from './search-knowledge.js';

/** A question of at most so many code points. */
const question = (most: number) =>
  ({
    required: true,
    takes: ['钙', 'a'.repeat(most), '😀'.repeat(most), '%_\\', "'; DROP TABLE x; --"],
    takesAs: [
      ['  calcium  ', 'calcium'],
      ['\t睡眠\n', '睡眠'],
    ],
    refuses: [
      ['', 'must have at least 1 character'],
      ['   ', 'must have at least 1 character'],
      ['a'.repeat(most + 1), `must have at most ${most} characters`],
      ['😀'.repeat(most + 1), `must have at most ${most} characters`],
      [5, 'must be string, not number'],
      [['钙'], 'must be string, not array'],
    ],
    query: [['7', '7']],
  }) as const;

const collection = {
  takes: ['health', '0', 'stripe-onboarding', `a${'-'.repeat(62)}`],
  refuses: [
    ['', 'must be lower-case letters, digits and hyphens, at most 63'],
    ['Health', 'must be lower-case letters, digits and hyphens, at most 63'],
    ['-a', 'must be lower-case letters, digits and hyphens, at most 63'],
    ['a_b', 'must be lower-case letters, digits and hyphens, at most 63'],
    ['../x', 'must be lower-case letters, digits and hyphens, at most 63'],
    ['a'.repeat(64), 'must be lower-case letters, digits and hyphens, at most 63'],
  ],
} as const;

const upTo = (max: number) =>
  ({
    takes: [1, max],
    refuses: [
      [0, 'must be at least 1'],
      [max + 1, `must be at most ${max}`],
      [1.5, 'must be integer, not number'],
      ['1', 'must be integer, not string'],
    ],
    query: [[String(max), max]],
  }) as const;

testParameters(searchKnowledge, {
  good: { query: '睡眠' },
  fields: {
    query: question(200),
    domain: {
      byDefault: 'general',
      takes: ['nutrition', 'exercise', 'sleep', 'mental', 'general'],
      refuses: [
        ['finance', 'must be one of [nutrition, exercise, sleep, mental, general]'],
        ['Sleep', 'must be one of [nutrition, exercise, sleep, mental, general]'],
      ],
    },
    max_results: { byDefault: 5, ...upTo(20) },
    collection: { byDefault: 'health', ...collection },
    tags: {
      byDefault: undefined,
      takes: [[], ['vitamin'], Array.from({ length: 10 }, () => 't'.repeat(64))],
      refuses: [
        [Array.from({ length: 11 }, () => 't'), 'must have at most 10 items'],
        [[''], "Parameter 'tags.0' must have at least 1 character"],
        [['t'.repeat(65)], "Parameter 'tags.0' must have at most 64 characters"],
      ],
      query: [
        ['a,b', ['a', 'b']],
        [
          ['a', 'b'],
          ['a', 'b'],
        ],
      ],
    },
    type: { byDefault: undefined, takes: ['public', 'internal'], refuses: [['secret', 'must be one of [public, internal]']] },
  },
});

const unavailable = 'SERVICE_UNAVAILABLE';
testErrors(searchKnowledge, {
  failures: { network: unavailable, timeout: unavailable, 'rate-limit': unavailable, service: unavailable, internal: unavailable },
});

describe('the AuraWell literal of refused parameters', () => {
  test.each([
    [{ query: '' }, 'QUERY_TOO_SHORT'],
    [{ query: '  ' }, 'QUERY_TOO_SHORT'],
    [{ query: 'a', domain: 'x' }, 'DOMAIN_INVALID'],
    [{ query: '', domain: 'x' }, 'QUERY_TOO_SHORT'],
    [{ query: 'a', max_results: 0 }, 'INVALID_INPUT'],
    [{ query: 'a'.repeat(201) }, 'INVALID_INPUT'],
    [{}, 'INVALID_INPUT'],
    [{ query: 5 }, 'INVALID_INPUT'],
    [[], 'INVALID_INPUT'],
  ])('of %j is %s', (input, literal) => {
    expect(refusalOf(searchKnowledge, input).native_code).toBe(literal);
  });
});

testParameters(searchDocuments, {
  good: { query: 'refund' },
  fields: {
    query: question(500),
    limit: { byDefault: 10, ...upTo(100) },
    cursor: { byDefault: undefined, takes: ['', 'x'.repeat(8_192)], refuses: [['x'.repeat(8_193), 'must have at most 8192 characters']] },
  },
});

testParameters(getDocument, {
  good: { document_id: 'd' },
  fields: {
    document_id: {
      required: true,
      takes: ['d', 'd'.repeat(128)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['d'.repeat(129), 'must have at most 128 characters'],
      ],
    },
    max_length: { byDefault: 2_000, ...upTo(100_000) },
    return_summary: {
      byDefault: true,
      takes: [true, false],
      refuses: [['no', 'must be boolean, not string']],
      query: [['false', false]],
    },
  },
});

testParameters(citationHelper, {
  good: { claim: 'Payouts are paused.' },
  fields: {
    claim: question(1_000),
    top_k: { byDefault: 3, ...upTo(20) },
    request_id: { byDefault: undefined, takes: ['', 'r'.repeat(128)], refuses: [['r'.repeat(129), 'must have at most 128 characters']] },
  },
});

testErrors(citationHelper, {
  refusals: { INVALID_PARAMS: 'invalid_request', RATE_LIMITED: undefined },
  failures: { network: 'search_error', timeout: 'search_error', service: 'search_error', internal: 'search_error' },
  advice: { no_evidence: ['express_dashboard', 'relink'], search_error: ['retry_later', 'refuse'] },
});

const file = { path: 'a.md', content: '# A' };

testParameters(importDocuments, {
  good: { collection: 'documents', documents: [file] },
  fields: {
    collection: { required: true, ...collection },
    documents: {
      required: true,
      takesAs: [
        [[file], [{ ...file, encoding: 'utf-8' }]],
        [[{ path: 'x/报告.PDF', content: '', encoding: 'base64' }], [{ path: 'x/报告.PDF', content: '', encoding: 'base64' }]],
      ],
      refuses: [
        [[], 'must have at least 1 item'],
        [Array.from({ length: 2_001 }, () => file), 'must have at most 2000 items'],
        [[{ path: 'a.md' }], 'Missing required parameter: documents.0.content'],
        [[{ ...file, path: '' }], "Parameter 'documents.0.path' must have at least 1 character"],
        [[{ ...file, path: 'noending' }], 'must end in .md, .html, .txt, .pdf or .jsonl'],
        [[{ ...file, path: `${'a'.repeat(498)}.md` }], "Parameter 'documents.0.path' must have at most 500 characters"],
        [[{ ...file, encoding: 'hex' }], "Parameter 'documents.0.encoding' must be one of [utf-8, base64]"],
        [[{ ...file, content: 7 }], "Parameter 'documents.0.content' must be string, not number"],
        [[{ ...file, url: 'x' }], 'Unexpected parameter: documents.0.url'],
      ],
    },
    prune: { byDefault: false, takes: [true, false], refuses: [['yes', 'must be boolean, not string']] },
    confirm: { byDefault: false, takes: [true, false], refuses: [['yes', 'must be boolean, not string']] },
  },
});

describe('the text of a question', () => {
  test('is counted in code points, so an emoji is one character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (text, most) => {
        const trimmed = text.trim();
        const fits = trimmed.length > 0 && Array.from(trimmed).length <= most;
        expect(queryText(most, 'A question.').safeParse(text).success).toBe(fits);
      }),
    );
  });

  test('is shown in no log, since it may speak of health or money', () => {
    for (const [contract, name] of [
      [searchKnowledge, 'query'],
      [searchDocuments, 'query'],
      [citationHelper, 'claim'],
    ] as const)
      expect(redact(contract.input, 'input', { [name]: '我有糖尿病' })).toEqual({ [name]: '[redacted]' });
  });
});

test('the native answer of a knowledge search has the fields of its source document alone', () => {
  const [{ output }] = searchKnowledge.examples;
  const native = searchKnowledge.nativeOutput?.parse(output) as { results: object[] };
  expect(Object.keys(native).toSorted()).toEqual(['domain', 'query', 'results', 'search_time_ms', 'total_count']);
  expect(Object.keys(native.results[0] ?? {}).toSorted()).toEqual([
    'confidence_score',
    'content',
    'last_updated',
    'source',
    'tags',
    'title',
  ]);
  expect(validateInput(searchKnowledge, { query: 'a' })).toEqual({ query: 'a', domain: 'general', max_results: 5, collection: 'health' });
});
