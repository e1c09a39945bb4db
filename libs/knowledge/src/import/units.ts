import type { NewUnit } from '#lib/retrieval';
import type { PreparedDocument, PreparedSection } from './prepare.js';

type DocumentFacts = Pick<PreparedDocument, 'domain' | 'type' | 'tags' | 'title' | 'titleEn'>;

/** The search unit of a section. The title of its page counts a little, so that the section is found by the topic of the page. */
export function unitOf(ref: number, document: DocumentFacts & { readonly id: string }, section: PreparedSection): NewUnit {
  return {
    ref: String(ref),
    parent: document.id,
    labels: labelsOf(document, section),
    fields: [
      { text: textOf([section.title, section.titleEn]), weight: 3, isHead: true },
      { text: textOf(section.keyTerms ?? []), weight: 3, isHead: true },
      { text: textOf([document.title, document.titleEn, ...section.headingPath]), weight: 1, isHead: true },
      { text: section.summary ?? '', weight: 2 },
      { text: section.content },
      // People also search by source: the number of a standard, an author, a book.
      { text: section.source ?? '' },
    ],
  };
}

/** The text of which a vector is made. The most important parts come first, because some models read only a few hundred words. */
export function embeddedText(
  document: Pick<DocumentFacts, 'title'>,
  section: Omit<PreparedSection, 'hash' | 'headingPath' | 'anchor'>,
): string {
  const { title, titleEn, keyTerms = [], summary, content } = section;
  return [title, titleEn, document.title, keyTerms.join(', '), summary, content].filter(Boolean).join('\n');
}

function labelsOf({ domain, type, tags = [] }: DocumentFacts, { anchor }: PreparedSection): readonly string[] {
  return [
    ...(domain ? [`domain:${domain}`] : []),
    `type:${type ?? 'public'}`,
    ...tags.map((tag) => `tag:${tag.toLowerCase()}`),
    anchor === null ? 'place:page' : 'place:section',
  ];
}

function textOf(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join('\n');
}
