import { describe, expect, test } from '@jest/globals';
import { prefixStatements, readGroups, type Group } from './wire-messages.js';

const startup = Buffer.concat([int(13), int(196_608), Buffer.from('user\0')]);
const sslRequest = Buffer.concat([int(8), int(80_877_103)]);
const sync = message('S', '');
const extended = [message('P', 'name\0SELECT 1\0\0\0'), message('B', '\0name\0\0\0\0\0\0\0'), message('E', '\0\0\0\0\0')];

describe('cutting a client’s bytes', () => {
  test('a group ends with Sync, however the bytes arrive', async () => {
    const bytes = Buffer.concat([startup, ...extended, sync, message('Q', 'SELECT 2\0')]);
    for (const size of [1, 3, 7, bytes.length]) {
      const groups = (await groupsOf(bytes, size)).map((group) => group.bytes);
      expect(groups).toEqual([startup, Buffer.concat([...extended, sync]), message('Q', 'SELECT 2\0')]);
    }
  });

  test('after a Flush the client has not finished', async () => {
    const groups = await groupsOf(Buffer.concat([startup, ...extended, message('H', ''), sync]));
    expect(groups.map((group) => group.isComplete)).toEqual([true, false, true]);
  });

  test('a wish for encryption is answered with no, and a goodbye ends it', async () => {
    const answers: string[] = [];
    const groups = await groupsOf(Buffer.concat([sslRequest, startup, message('X', ''), sync]), 5, answers);
    expect(answers).toEqual(['N']);
    expect(groups).toHaveLength(1);
  });
});

describe('names of prepared statements', () => {
  test('carry their client’s number in every message that holds one', () => {
    const group = [...extended, message('D', 'Sname\0'), message('C', 'Sname\0'), sync];
    expect(
      prefixStatements(Buffer.concat(group), 4)
        .toString('latin1')
        .match(/c4_name/g),
    ).toHaveLength(4);
    expect(prefixStatements(Buffer.concat(group), 4).subarray(-sync.length)).toEqual(sync);
  });

  test('are left alone where there is none, or only that of a portal', () => {
    const group = Buffer.concat([
      message('P', '\0SELECT 1\0\0\0'),
      message('B', 'portal\0\0\0\0\0\0\0\0'),
      message('D', 'Pportal\0'),
      sync,
    ]);
    expect(prefixStatements(group, 4)).toEqual(group);
  });
});

async function groupsOf(bytes: Buffer, size = bytes.length, answers: string[] = []): Promise<Group[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  const wire = {
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
    write: (text: string) => answers.push(text),
  };
  const groups: Group[] = [];
  for await (const group of readGroups(wire)) groups.push(group);
  return groups;
}

function message(kind: string, body: string): Buffer {
  return Buffer.concat([Buffer.from(kind), int(4 + body.length), Buffer.from(body, 'latin1')]);
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
