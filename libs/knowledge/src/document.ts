/** A document to import: its whole text, its sections, and its metadata. */
export interface NewDocument {
  /** Its name in the collection. A later import of the same path replaces it. */
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
  /** When its content last changed. Default: the time at which this content was first imported. */
  readonly updated?: Date | undefined;
  readonly content: string;
  readonly sections: readonly NewSection[];
}

export type DocumentType = 'public' | 'internal';

export interface NewSection {
  /** Null for text before the first heading. */
  readonly anchor: string | null;
  /** Titles of the parent headings, outermost first. */
  readonly headingPath: readonly string[];
  readonly title: string;
  readonly titleEn?: string | undefined;
  readonly summary?: string | undefined;
  readonly keyTerms?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly sourceUrl?: string | undefined;
  readonly content: string;
}

/** A document cannot be read. The message is a reason that begins with `its` or `it`. The import continues with the others. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  /** The path that the document gives itself, where that much can be read. */
  readonly documentPath: string | undefined;

  constructor(message: string, documentPath?: string) {
    super(message);
    this.documentPath = documentPath;
  }
}
