import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '#lib/testing';

import { readCsv } from './read-csv.js';
import { readNdjson } from './read-ndjson.js';
import { columns } from './row-schema.js';
import { type Chunks, maxRowBytes, type SourceRow, UnreadableFile } from './source-row.js';

type Reader = (chunks: Chunks) => AsyncIterable<SourceRow>;

async function* pieces(content: string | Buffer, size = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Rows as `[line, fields]` or `[line, fault]`. */
async function read(reader: Reader, content: string | Buffer, size?: number): Promise<[number, unknown][]> {
  const rows: [number, unknown][] = [];
  for await (const { line, content: found } of reader(pieces(content, size)))
    rows.push([line, 'fault' in found ? found.fault : found.fields]);
  return rows;
}

async function texts(reader: Reader, content: string | Buffer): Promise<string[]> {
  const all: string[] = [];
  for await (const row of reader(pieces(content))) all.push(row.text());
  return all;
}

describe('NDJSON', () => {
  test('gives each object with its line and passes over blank lines', async () => {
    expect(await read(readNdjson, '{"a":1}\n\n  \r\n{"a":2}\r\n{"a":3}')).toEqual([
      [1, { a: 1 }],
      [4, { a: 2 }],
      [5, { a: 3 }],
    ]);
  });

  test('a line that cannot be read is one bad row', async () => {
    const content = Buffer.concat([Buffer.from('{"a":1\n'), Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]), Buffer.from('{"a":2}\n')]);
    expect(await read(readNdjson, content)).toEqual([
      [1, 'is not valid JSON'],
      [2, 'is not valid UTF-8'],
      [3, { a: 2 }],
    ]);
    expect((await texts(readNdjson, content))[0]).toBe('{"a":1');
  });

  test('a line over the limit is one bad row and is not kept', async () => {
    const content = `{"a":1}\n"${'x'.repeat(maxRowBytes)}"\n{"a":2}\n`;
    expect(await read(readNdjson, content)).toEqual([
      [1, { a: 1 }],
      [2, `is longer than ${maxRowBytes} bytes`],
      [3, { a: 2 }],
    ]);
    expect((await texts(readNdjson, content))[1]).toHaveLength(200);
  });

  test('an empty file has no rows', async () => {
    expect(await read(readNdjson, '')).toEqual([]);
  });

  test('nothing depends on where the file is cut into pieces', async () => {
    const value = fc.record({ text: anyText(), number: fc.integer() });
    const frame = fc.record({ end: fc.constantFrom('\n', '\r\n'), mark: fc.constantFrom('', '\uFEFF') });
    await fc.assert(
      fc.asyncProperty(fc.array(value), fc.integer({ min: 1, max: 40 }), frame, async (values, size, { end, mark }) => {
        const content = mark + values.map((one) => JSON.stringify(one) + end).join('');
        expect(await read(readNdjson, content, size)).toEqual(values.map((one, index) => [index + 1, one]));
      }),
    );
  });
});

describe('CSV', () => {
  const header = columns.join(',');
  const row = 'user_001,30,male,175.5,70,moderate,weight_loss; muscle_gain,,vegetarian,2026-11-21T09:30:00Z';
  const fields = {
    user_id: 'user_001',
    age: 30,
    gender: 'male',
    height_cm: 175.5,
    weight_kg: 70,
    activity_level: 'moderate',
    health_goals: ['weight_loss', 'muscle_gain'],
    medical_conditions: [],
    dietary_restrictions: ['vegetarian'],
    last_updated: '2026-11-21T09:30:00Z',
  };
  const { last_updated: _, ...withoutDate } = fields;

  test.each([['\n'], ['\r\n']])('gives each row with its line (line end %j)', async (end) => {
    const content = [header, row, '', row, ''].join(end);
    expect(await read(readCsv, content)).toEqual([
      [2, fields],
      [4, fields],
    ]);
  });

  test('columns may come in any order, quoted, and last_updated may be empty or absent', async () => {
    const shuffled = columns
      .toReversed()
      .map((name) => `"${name}"`)
      .join(',');
    const reversed = row
      .split(',')
      .toReversed()
      .map((cell) => `"${cell}"`)
      .join(',');
    expect(await read(readCsv, `${shuffled}\n${reversed}\n`)).toEqual([[2, fields]]);
    expect(await read(readCsv, `${header}\n${row.replace(/[^,]+$/, '')}\n`)).toEqual([[2, withoutDate]]);
    expect(await read(readCsv, `${header.replace(',last_updated', '')}\n${row.replace(/,[^,]+$/, '')}\n`)).toEqual([[2, withoutDate]]);
  });

  test('line numbers hold after cells with line breaks', async () => {
    const broken = row.replace('user_001', '"user\r\n0\n01"');
    expect(await read(readCsv, [header, broken, row, ''].join('\r\n'))).toEqual([
      [2, { ...fields, user_id: 'user\r\n0\n01' }],
      [5, fields],
    ]);
  });

  test.each(['thirty', '', '0x1E', '1e2', 'NaN', '3 0', '30,5'])('%j is no number and stays text', async (cell) => {
    const [found] = await read(readCsv, `${header}\n${row.replace(',30,', `,"${cell}",`)}\n`);
    expect(found?.[1]).toMatchObject({ age: cell });
  });

  test('rows and columns that a spreadsheet left blank are passed over', async () => {
    const header = columns.join(',');
    const row = columns.map((name) => `v-${name}`).join(',');
    const separators = ','.repeat(columns.length - 1);
    const plain = await read(readCsv, `${header}\n${row}\n`);
    expect(plain).toHaveLength(1);
    expect(await read(readCsv, `${header}\n${row}\n${separators}\n ${separators} \n,\n`)).toEqual(plain);
    expect(await read(readCsv, `${header},,\r\n${row},,\r\n${row}, ,\r\n,,,\r\n`)).toEqual([...plain, [3, plain[0]?.[1]]]);
    expect(await read(readCsv, `${header}\n${row},x\n`)).toEqual([[2, expect.stringContaining('cells where the header has')]]);
  });

  test('an empty item stays in its list, for the row schema to refuse', async () => {
    const [found] = await read(readCsv, `${header}\n${row.replace('weight_loss; muscle_gain', 'a;;b;')}\n`);
    expect(found?.[1]).toMatchObject({ health_goals: ['a', '', 'b', ''] });
  });

  test('a row with the wrong number of cells or broken UTF-8 is one bad row', async () => {
    const content = Buffer.concat([
      Buffer.from(`${header}\n${row},x\n`),
      Buffer.from(row.replace('vegetarian', 'v\u00e9')),
      Buffer.from('\n'),
    ]);
    content[content.indexOf(0xc3)] = 0xff;
    expect(await read(readCsv, content)).toEqual([
      [2, 'has 11 cells where the header has 10'],
      [3, 'is not valid UTF-8'],
    ]);
  });

  test('the kept text of a row reads back as the same row', async () => {
    const cell = anyText().filter((text) => text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(cell, fc.integer({ min: 1, max: 40 }), async (user_id, size) => {
        const content = `${header}\r\n${row.replace('user_001', () => `"${user_id.replaceAll('"', '""')}"`)}\r\n`;
        const [found] = await read(readCsv, content, size);
        expect(found?.[1]).toEqual({ ...fields, user_id });
        const [text] = await texts(readCsv, content);
        expect(await read(readCsv, `${header}\n${text}\n`)).toEqual([found]);
      }),
    );
  });

  test('a byte order mark is no part of the first name', async () => {
    expect(await read(readCsv, `\uFEFF${header}\n${row}`, 2)).toEqual([[2, fields]]);
  });

  test.each([
    ['an empty file', '', /empty/],
    ['a header without a column', `${header.replace('age,', '')}\n`, /column age is missing/],
    ['a header with a stranger', `${header},shoe_size\n`, /column "shoe_size" is unknown/],
    ['a header that repeats a column', `${header},age\n`, /column age stands twice/],
    ['UTF-16', Buffer.from(`\uFEFF${header}`, 'utf16le'), /UTF-16/],
  ])('%s is refused whole', async (_name, content, message) => {
    await expect(read(readCsv, content)).rejects.toThrow(UnreadableFile);
    await expect(read(readCsv, content)).rejects.toThrow(message);
  });

  test.each([
    ['an open quote', '"never closed\nx\nx', /line 3 .* never closed/],
    ['text after a quote', `"a"b,${row}`, /line 3 has a quote inside a cell/],
    ['a quote amid text', `a"b",${row}`, /line 3 has a quote inside a cell/],
    ['a quote that swallows the file', `"${'x\n'.repeat(maxRowBytes)}`, /line 3 is longer than/],
  ])('%s ends the reading at its line, after the rows before it', async (_name, broken, message) => {
    const seen: number[] = [];
    const reading = async () => {
      for await (const { line } of readCsv(pieces(`${header}\n${row}\n${broken}\n`))) seen.push(line);
    };
    await expect(reading()).rejects.toThrow(message);
    expect(seen).toEqual([2]);
  });
});

test.each([
  ['NDJSON', readNdjson],
  ['CSV', readCsv],
] as const)('%s: a fault of the disk comes through', async (_name, reader) => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${columns.join(',')}\n`);
    throw new Error('EIO');
  }
  await expect(
    (async () => {
      for await (const row of reader(failing())) void row;
    })(),
  ).rejects.toThrow('EIO');
});

describe('CSV of spreadsheets', () => {
  const row = {
    user_id: 'a',
    age: 30,
    gender: 'male',
    height_cm: 175,
    weight_kg: 70,
    activity_level: 'moderate',
    health_goals: ['x', 'y'],
  };
  const header = [
    'user_id',
    'age',
    'gender',
    'height_cm',
    'weight_kg',
    'activity_level',
    'health_goals',
    'medical_conditions',
    'dietary_restrictions',
  ];
  const cells = ['a', '30', 'male', '175', '70', 'moderate', '"x;y"', '', ''];
  const file = (separator: string, end = '\n') => [header, cells].map((line) => line.join(separator) + end).join('');

  test.each([
    ['by semicolons', file(';', '\r\n'), 2],
    ['by tabs', file('\t'), 2],
    ['as its first line says', `sep=|\r\n${file('|', '\r\n')}`, 3],
    ['by commas, with lines that end with CR alone', file(',', '\r'), 2],
    ['by commas, with a sign at its end', `${file(',', '\r\n')},,,\r\n\u{1a}`, 2],
  ])('%s is read', async (_what, content, line) => {
    for (const size of [1, 7, 65_536]) expect(await read(readCsv, content, size)).toMatchObject([[line, row]]);
  });
});
