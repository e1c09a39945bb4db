import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redact } from '../../derive/redaction.js';
import { testErrors, testParameters } from '../../test-parameters.js';
import { chatTurn } from './chat-turn.js';
import { showBaziChart } from './show-bazi-chart.js';
import { showZodiacChart, zodiacSigns } from './show-zodiac-chart.js';

const notADate = "Validation error: Parameter 'birth_date' is not valid (date)";

const birth = {
  birth_date: {
    required: true,
    takes: ['1900-01-01', '2000-02-29', '2100-12-31'],
    refuses: [
      ['1899-12-31', 'must be from 1900 to 2100'],
      ['2101-01-01', 'must be from 1900 to 2100'],
      ['2001-02-29', notADate],
      ['1900-02-29', notADate],
      ['1990-13-01', notADate],
      ['1990-04-31', notADate],
      ['1990-5-20', notADate],
      ['20.05.1990', notADate],
      ['1990-05-20T08:00', notADate],
      ['', notADate],
      [19_900_520, 'must be string, not number'],
    ],
  },
  birth_time: {
    byDefault: undefined,
    takes: ['00:00', '09:05', '19:59', '23:59'],
    refuses: [
      ['24:00', 'must be HH:MM'],
      ['23:60', 'must be HH:MM'],
      ['9:05', 'must be HH:MM'],
      ['09:05:00', 'must be HH:MM'],
      ['09.05', 'must be HH:MM'],
      ['noon', 'must be HH:MM'],
      ['', 'must be HH:MM'],
      [905, 'must be string, not number'],
    ],
  },
  timezone: {
    byDefault: 'Asia/Shanghai',
    takes: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'],
    refuses: [
      ['Mars/Olympus', 'must be an IANA time zone such as Asia/Shanghai'],
      ['', 'must be an IANA time zone such as Asia/Shanghai'],
      ['../../etc/passwd', 'must be an IANA time zone such as Asia/Shanghai'],
      ['A'.repeat(65), 'must have at most 64 characters'],
      [8, 'must be string, not number'],
    ],
  },
} as const;

const longitude = {
  byDefault: undefined,
  takes: [-180, 0, 116.4, 180],
  refuses: [
    [-180.01, 'must be at least -180'],
    [180.01, 'must be at most 180'],
    ['116.4', 'must be number, not string'],
  ],
  query: [['-116.4', -116.4]],
} as const;

testParameters(showBaziChart, {
  good: { birth_date: '1990-05-20' },
  fields: {
    ...birth,
    gender: {
      byDefault: undefined,
      takes: ['male', 'female'],
      refuses: [['other', 'must be one of [male, female]']],
    },
    longitude,
  },
});

testParameters(showZodiacChart, {
  good: { birth_date: '1990-05-20' },
  fields: {
    ...birth,
    latitude: {
      byDefault: undefined,
      takes: [-66, 0, 66],
      refuses: [
        [-66.01, 'must be at least -66'],
        [66.01, 'must be at most 66'],
        [true, 'must be number, not boolean'],
      ],
    },
    longitude,
  },
});

const conversation = '7f1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11';

testParameters(chatTurn, {
  good: { conversation_id: conversation, message: '你好', mode: 'simple', regenerate: false, dialect: 'source' },
  fields: {
    conversation_id: {
      required: true,
      takes: [conversation, conversation.toUpperCase(), '00000000-0000-0000-0000-000000000000'],
      refuses: [
        ['7f1d3c52', "Validation error: Parameter 'conversation_id' is not valid (guid)"],
        ['', "Validation error: Parameter 'conversation_id' is not valid (guid)"],
        [`${conversation}x`, "Validation error: Parameter 'conversation_id' is not valid (guid)"],
      ],
    },
    message: {
      required: true,
      takes: ['a', '八'.repeat(16_000)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(16_001), 'must have at most 16000 characters'],
      ],
    },
    mode: { required: true, takes: ['simple', 'complex', 'guest'], refuses: [['deep', 'must be one of [simple, complex, guest]']] },
    begins: { byDefault: false, takes: [true, false], refuses: [['true', 'must be boolean, not string']] },
    regenerate: { required: true, takes: [true, false], refuses: [[0, 'must be boolean, not number']] },
    dialect: { required: true, takes: ['source', 'ai-sdk'], refuses: [['sse', 'must be one of [source, ai-sdk]']] },
  },
});

testErrors(chatTurn, {
  failures: {
    network: 'internal_error',
    timeout: 'agent-error',
    'rate-limit': 'internal_error',
    service: 'internal_error',
    internal: 'internal_error',
  },
});

describe('birth data', () => {
  test('is shown in no log, whatever it is', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true }), (date) => {
        const birth_date = date.toISOString().slice(0, 10);
        const given = { birth_date, birth_time: '08:15', timezone: 'Europe/Berlin', longitude: 13.37, gender: 'female' };
        expect(Object.values(redact(showBaziChart.input, 'input', given) as object)).toEqual(Array.from({ length: 5 }, () => '[redacted]'));
      }),
    );
  });

  test('leads to one of twelve signs', () => {
    expect(new Set(zodiacSigns).size).toBe(12);
    expect(showZodiacChart.output.safeParse({ ...showZodiacChart.examples[0].output, sun_sign: 'ophiuchus' }).success).toBe(false);
  });
});
