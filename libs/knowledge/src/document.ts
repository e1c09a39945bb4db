/** A document as an importer gives it: whole, cut into sections, with what is known about it. */
export interface NewDocument {
  /** Its name in the collection; importing the same path again replaces it. */
  readonly path: string;
  readonly title: string;
  readonly titleEn?: string | undefined;
  readonly domain?: string | undefined;
  /** Default public. */
  readonly type?: DocumentType | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sourceUrl?: string | undefined;
  readonly repoPath?: string | undefined;
  /** Organisation, title, year. */
  readonly source?: string | undefined;
  /** When its content last changed. Unknown: the time of the first import of this content. */
  readonly updated?: Date | undefined;
  readonly content: string;
  readonly sections: readonly NewSection[];
}

export type DocumentType = 'public' | 'internal';

export interface NewSection {
  /** Null for what stands before the first heading. */
  readonly anchor: string | null;
  /** Titles of the headings above it. */
  readonly headingPath: readonly string[];
  readonly title: string;
  readonly titleEn?: string | undefined;
  readonly summary?: string | undefined;
  readonly keyTerms?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly sourceUrl?: string | undefined;
  readonly content: string;
}

/** A document that cannot be read, with the reason in words. The rest of the import goes on. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
