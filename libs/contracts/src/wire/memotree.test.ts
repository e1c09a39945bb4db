import { expect, test } from '@jest/globals';
import { errorCodes, type ErrorCode } from '../errors.js';
import { memotreeErrorCodes } from '../tools/memotree/vocabulary.js';
import { toMemotree } from './memotree.js';

test('a success has all five keys, with a message and no code', () => {
  expect(toMemotree({ ok: true, data: { nodeId: 'a' } })).toEqual({
    success: true,
    message: 'OK',
    data: { nodeId: 'a' },
    warnings: [],
    errorCode: null,
  });
  expect(toMemotree({ ok: true, data: {}, message: 'Created', warnings: ['no title'] })).toMatchObject({
    message: 'Created',
    warnings: ['no title'],
  });
});

test('a failure has no data and a code of the closed list, whatever the platform calls it', () => {
  const closed = new Set<string>(memotreeErrorCodes);
  const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => code in errorCodes);
  for (const code of codes) {
    const { errorCode, data, success } = toMemotree({ ok: false, error: { code, family: code, message: 'no' } });
    expect([code, closed.has(errorCode ?? ''), data, success]).toEqual([code, true, null, false]);
  }
  const error = { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'PARENT_NOT_FOUND', message: 'no' } as const;
  expect(toMemotree({ ok: false, error }).errorCode).toBe('PARENT_NOT_FOUND');
});
