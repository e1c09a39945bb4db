// Bodies that cost a gateway most: nothing is cheaper to send and dearer to read than names.

/** As many as a body may hold, none of which any schema has. */
export const dearNames = `{${namesUpTo(200_000)}}`;
/** More than that, in as many bytes as any route takes. */
export const tooManyNames = `{${namesUpTo(8_300_000)}}`;

function namesUpTo(bytes: number): string {
  const names: string[] = [];
  for (let length = 0; length < bytes;) {
    const name = `"k${names.length}":1`;
    names.push(name);
    length += name.length + 1;
  }
  return names.join(',');
}
