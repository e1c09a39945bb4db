import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { phaseOf } from '../../lifecycle.js';
import { testErrors, testParameters } from '../../test-parameters.js';
import { validateInput } from '../../validate.js';
import { generateReport } from './generate-report.js';
import { getWeatherV1 } from './get-weather-v1.js';
import { getWeatherV2 } from './get-weather-v2.js';
import { getWeather } from './get-weather.js';
import { registerMcpServer } from './register-mcp-server.js';
import { placeName } from './weather-fields.js';

const badPlace = 'Invalid location format: use letters, spaces, commas, periods, apostrophes and hyphens';
const units = 'must be one of [celsius, fahrenheit]';

const place = {
  takes: [
    'Beijing',
    '北京',
    'San Francisco, CA',
    "L'Aquila",
    'St. Gallen',
    'Baden-Baden',
    'São Paulo',
    '’s-Hertogenbosch',
    'a'.repeat(100),
  ],
  refuses: [
    ['', 'must have at least 1 character'],
    ['a'.repeat(101), 'must have at most 100 characters'],
    ['Beijing; DROP TABLE', badPlace],
    ['<script>', badPlace],
    ['12345', badPlace],
    ['40.7, -74.0', badPlace],
    ['., -', badPlace],
    ['Paris\u0000', badPlace],
    ['Paris🙂', badPlace],
    [7, 'must be string, not number'],
  ],
} as const;
const unit = {
  byDefault: 'celsius',
  takes: ['celsius', 'fahrenheit'],
  refuses: [
    ['kelvin', units],
    ['C', units],
    [1, units],
  ],
} as const;

for (const contract of [getWeather, getWeatherV1])
  testParameters(contract, { good: { location: 'Beijing' }, fields: { location: { required: true, ...place }, unit } });

testParameters(getWeatherV2, {
  good: { city: 'Beijing' },
  fields: { city: { required: true, ...place }, country: { byDefault: 'any', ...place }, unit },
});

describe('the name of a place', () => {
  test('always holds a letter, and nothing but letters, marks and the punctuation of names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (text) => {
        if (!placeName().safeParse(text).success) return;
        expect(text).toMatch(/\p{L}/u);
        expect(text).not.toMatch(/[^\p{L}\p{M}\s,.'’-]/u);
      }),
    );
  });
});

describe('the first name of the weather tool', () => {
  test('is deprecated at any time, and tells what takes its place', () => {
    for (const now of ['2020-01-01', '2026-12-30', '2030-01-01']) expect(phaseOf(getWeatherV1, new Date(now))).toBe('deprecated');
    expect(getWeatherV1).toMatchObject({ replacement: 'get_weather', migrationGuide: '/docs/migrations/get_weather-1-to-2' });
  });
});

testParameters(generateReport, {
  good: { title: 'Report', content: '# Hello' },
  fields: {
    title: {
      required: true,
      takes: ['a', '报'.repeat(200)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(201), 'must have at most 200 characters'],
      ],
    },
    content: {
      required: true,
      takes: ['a', 'a'.repeat(200_000)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(200_001), 'must have at most 200000 characters'],
        [['# Hello'], 'must be string, not array'],
      ],
    },
    format: {
      byDefault: 'pdf',
      takes: ['pdf', 'docx', 'html'],
      refuses: [
        ['PDF', 'must be one of [pdf, docx, html]'],
        ['txt', 'must be one of [pdf, docx, html]'],
      ],
    },
  },
});

const badName = "Parameter 'name' must be lower-case letters and digits with single - or _ between them";

testParameters(registerMcpServer, {
  good: { name: 'docs', url: 'https://mcp.example.com/mcp' },
  fields: {
    name: {
      required: true,
      takes: ['a', 'a1', 'my-docs', 'my_docs', 'a'.repeat(24)],
      refuses: [
        ['', badName],
        ['Docs', badName],
        ['1docs', badName],
        ['my__docs', badName],
        ['docs_', badName],
        ['a b', badName],
        ['a'.repeat(25), 'must have at most 24 characters'],
      ],
    },
    url: {
      byDefault: undefined,
      takes: ['https://mcp.example.com', 'http://127.0.0.1:3000/mcp', 'postgres://db.example.com/shop', 'postgresql://db.example.com/shop'],
      refuses: [
        ['ftp://example.com', "Validation error: Parameter 'url' is not valid (url)"],
        ['javascript:alert(1)', "Validation error: Parameter 'url' is not valid (url)"],
        ['mcp.example.com', "Validation error: Parameter 'url' is not valid (url)"],
        [`https://example.com/${'a'.repeat(2_000)}`, 'must have at most 2000 characters'],
      ],
    },
    stdio: { byDefault: undefined, takes: ['everything'], refuses: [['a'.repeat(65), 'must have at most 64 characters']] },
    tenants: { byDefault: 'own', takes: ['own', '*'], refuses: [['acme', 'must be one of [own, *]']] },
    kind: {
      byDefault: 'auto',
      takes: ['auto', 'mcp', 'rest', 'openapi', 'sql'],
      refuses: [['soap', 'must be one of [auto, mcp, rest, openapi, sql]']],
    },
    document: { byDefault: null, takes: ['openapi: 3.1.0'], refuses: [[7, 'must be string, not number']] },
    base_url: {
      byDefault: null,
      takes: ['https://api.example.com/v1'],
      refuses: [['ftp://example.com', "Validation error: Parameter 'base_url' is not valid (url)"]],
    },
    include: { byDefault: null, takes: [['tag:pets', 'GET /pets/*']], refuses: [['pets', 'must be array, not string']] },
    exclude: {
      byDefault: null,
      takes: [['deletePet']],
      refuses: [[['a'.repeat(301)], "Parameter 'exclude.0' must have at most 300 characters"]],
    },
    queries: {
      byDefault: null,
      takes: ['[{"name":"q","description":"Asks.","sql":"SELECT 1"}]'],
      refuses: [[[{ name: 'q', description: 'Asks.', sql: 'SELECT 1' }], 'must be string, not array']],
    },
    connection: {
      byDefault: null,
      takes: [{ provider: 'github' }, { provider: 'github', scopes: ['repo'] }],
      refuses: [
        [{ provider: 'No Name' }, 'must be a small letter, then at most 63 small letters, digits, _ or -'],
        [{ provider: 'github', scopes: ['two words'] }, 'must be a scope of RFC 6749'],
      ],
    },
    may_ask: { byDefault: [], takes: [['sampling', 'roots']], refuses: [[['forms'], 'must be one of [sampling, roots]']] },
    apps: {
      byDefault: { domains: [], permissions: [] },
      takes: [{ domains: ['https://*.example.com'], permissions: ['camera'] }],
      refuses: [[{ domains: ['http://example.com'] }, 'must be https:// or wss:// with a host, such as https://*.example.com']],
    },
    sealed_headers: { byDefault: undefined, takes: ['x'], refuses: [['a'.repeat(20_001), 'must have at most 20000 characters']] },
    tools: {
      byDefault: undefined,
      takes: [[], ['echo'], Array.from({ length: 2_000 }, () => 'a'.repeat(512))],
      refuses: [
        [Array.from({ length: 2_001 }, () => 'a'), 'must have at most 2000 items'],
        [['a'.repeat(513)], "Parameter 'tools.0' must have at most 512 characters"],
      ],
      query: [['a,b', ['a', 'b']]],
    },
    timeout_ms: {
      byDefault: 10_000,
      takes: [1_000, 120_000],
      refuses: [
        [999, 'must be at least 1000'],
        [120_001, 'must be at most 120000'],
        [1_000.5, 'must be integer, not number'],
      ],
    },
    cache_ttl: {
      byDefault: undefined,
      takes: [1, 86_400],
      refuses: [
        [0, 'must be at least 1'],
        [86_401, 'must be at most 86400'],
      ],
    },
  },
});

for (const contract of [getWeather, getWeatherV2, generateReport])
  testErrors(contract, {
    refusals: { INVALID_PARAMS: undefined },
    failures: { network: undefined, timeout: undefined, service: undefined, internal: undefined },
  });

test('a report is never cached and the weather is shared by all callers', () => {
  expect([generateReport, getWeather, getWeatherV2].map((contract) => ('cache' in contract ? contract.cache?.scope : undefined))).toEqual([
    undefined,
    'public',
    'public',
  ]);
  expect(validateInput(getWeather, { location: 'Beijing' })).toEqual({ location: 'Beijing', unit: 'celsius' });
});
