import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { inChinese } from './chinese.js';
import { errorCodes, Refusal } from './errors.js';
import { parseParameters } from './parameter-faults.js';
import { toEnvelope } from './wire/unified.js';

test.each([
  ['Missing required parameter: location', '缺少必填参数：location'],
  ["Parameter 'age' must be integer, not string", '参数“age”必须是整数，而不是字符串'],
  ["Parameter 'gender' must be one of [male, female]", '参数“gender”必须是以下之一：[male, female]'],
  ["Missing required parameter: a; Parameter 'b' must be at least 30", '缺少必填参数：a；参数“b”不能小于 30'],
  ['There is no such job; a job can be read for 24 hours, by the caller who made it', '没有这个任务；任务在 24 小时内可由其调用者读取'],
  ["There is no policy 'x; y'; see GET /policies", '没有名为“x; y”的策略；参见 GET /policies'],
  ['More than 50 calls a second with this credential', '此凭证每秒的调用超过 50 次'],
])('%s', (english, chinese) => {
  expect(inChinese(english)).toBe(chinese);
});

test.each(['The upstream says: no', 'There is no such unicorn', "Missing required parameter: a; Whatever 'b'", '已经是中文'])(
  'what nobody has translated stays whole: %s',
  (message) => {
    expect(inChinese(message)).toBe(message);
  },
);

test('any text of a caller stays within its message, in its own characters', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (name) => {
      const message = inChinese(`There is no policy '${name}'; see GET /policies`);
      expect(message).toContain(name);
    }),
  );
});

test('what schemas say of parameters is translated', () => {
  const schema = z.strictObject({ age: z.int().min(1).max(120), kind: z.enum(['a', 'b']), names: z.array(z.string()).max(1) });
  const parsed = parseParameters(schema, { age: 'x', kind: 'c', names: ['a', 'b'], more: 1 });
  const faults = parsed.success ? [] : parsed.faults;
  expect(faults).toHaveLength(4);
  for (const { message } of faults) expect(inChinese(message)).toMatch(/\p{Script=Han}/u);
});

test('an envelope has hint, message and details in the language of its facts; code and fields stay', () => {
  const { error } = new Refusal('INVALID_PARAMS', 'Missing required parameter: age', {
    details: [{ path: 'age', message: 'Missing required parameter: age' }],
  });
  const facts = { toolName: 't', traceId: 'trace_1', timestamp: 0 };
  const [english, chinese] = [toEnvelope({ ok: false, error }, facts), toEnvelope({ ok: false, error }, { ...facts, language: 'zh' })];
  expect(english.error).toMatchObject({ hint: errorCodes.INVALID_PARAMS.advice, message: 'Missing required parameter: age' });
  expect(chinese).toEqual({
    ...english,
    error: {
      ...english.error,
      hint: errorCodes.INVALID_PARAMS.zh,
      message: '缺少必填参数：age',
      details: [{ path: 'age', message: '缺少必填参数：age' }],
    },
  });
});

test('every code has its hint in Chinese', () => {
  for (const { zh } of Object.values(errorCodes)) expect(zh).toMatch(/\p{Script=Han}.*。$/u);
});
