import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import type { ToolContract } from '../define-tool.js';
import { errorCodes, type ErrorCode } from '../errors.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { userProfileLookup } from '../tools/profile/user-profile-lookup.js';
import { toJsonSchema } from './json-schema.js';
import { optionParameters, toOpenApiOperation } from './openapi.js';

const operationOf = (contract: ToolContract) => toOpenApiOperation(contract).operation;

describe.each(tools.map((contract) => [`${contract.name}@${contract.version}`, contract] as const))('%s', (_name, contract) => {
  const operation = operationOf(contract);

  test('takes its parameters as a body, with its examples', () => {
    expect(operation.requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: toJsonSchema(contract.input, 'input'),
          examples: { example1: { value: contract.examples[0].input } },
        },
      },
    });
  });

  test('tells the status of each of its errors, and what to do', () => {
    for (const code of Object.values(contract.errors) as ErrorCode[]) {
      const { http, advice } = errorCodes[code];
      expect(operation.responses[String(http)]).toMatchObject({ description: expect.stringContaining(`${code}: ${advice}`) });
    }
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '202', '400', '401', '403', '422', '429', '500', '503', '504']),
    );
  });
});

test('a tool’s own error adds its status, and a status is told once with all its codes', () => {
  expect(operationOf(calcMetrics).responses).not.toHaveProperty('404');
  expect(operationOf(userProfileLookup).responses).toHaveProperty('404');
  const { description } = operationOf(calcMetrics).responses['429'] as { description: string };
  expect(description.split(' · ').map((part) => part.split(':')[0])).toEqual(['RATE_LIMITED', 'QUOTA_EXCEEDED']);
});

test('an operation is named and grouped by its tool', () => {
  expect(operationOf(calcMetrics)).toMatchObject({ operationId: 'call_calc_metrics', summary: 'Health metrics', tags: ['profile'] });
  expect(operationOf(calcMetrics)).not.toHaveProperty('deprecated');
  expect(operationOf({ ...calcMetrics, deprecated: true })).toMatchObject({ deprecated: true });
});

test('the options of every call are referred to, and each is optional', () => {
  const { parameters = [] } = operationOf(calcMetrics);
  const referred = parameters.flatMap((parameter) => ('$ref' in parameter ? [parameter.$ref] : []));
  expect(referred).toEqual(Object.keys(optionParameters).map((name) => `#/components/parameters/${name}`));
  for (const option of Object.values(optionParameters)) expect(option).toMatchObject({ in: 'query', required: false });
});

test('names of operations are all different over the tools that have one name', () => {
  const ids = tools.map((contract) => operationOf(contract).operationId);
  expect(new Set(ids).size).toBe(new Set(tools.map(({ name }) => name)).size);
});

test('a recursive schema of our own stands in the document whole, on both sides', () => {
  const tree: z.ZodType = z.strictObject({ name: z.string(), kids: z.array(z.lazy(() => tree)) });
  const { operation, schemas } = toOpenApiOperation({ ...calcMetrics, input: z.strictObject({ tree }), output: tree });
  const referred = [...JSON.stringify({ operation, schemas }).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  for (const name of referred) expect([...Object.keys(schemas), 'Accepted', 'Envelope']).toContain(name);
  expect(JSON.stringify({ operation, schemas })).not.toMatch(/"\$ref":"#(\/\$defs|")/);
  expect(Object.keys(schemas)).toHaveLength(2);
});
