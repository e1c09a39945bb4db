// What runs in the processes that read documents.
import { readEach, type Read } from '#lib/knowledge';

export interface GivenDocument {
  readonly path: string;
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
}

export const reading = {
  readEach: ({ path, content, encoding }: GivenDocument): Promise<readonly Read[]> =>
    readEach(path, Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')),
};
