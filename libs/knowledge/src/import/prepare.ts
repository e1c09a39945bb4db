import { createHash } from 'node:crypto';
import type { NewDocument, NewSection } from '../document.js';
import { isPublicUrl, isRepositoryPath, withoutPrivateAddresses } from '../public-addresses.js';

export interface PreparedDocument extends NewDocument {
  readonly hash: string;
  readonly sections: readonly PreparedSection[];
  /** Sentences about what was removed. */
  readonly notes: readonly string[];
}

export interface PreparedSection extends NewSection {
  readonly hash: string;
}

/** A document ready to be stored: without private addresses, without characters that Postgres refuses, and with hashes. */
export function prepareDocument(document: NewDocument): PreparedDocument {
  const notes: string[] = [];
  const clean = (text: string): string => {
    const wellFormed = storable(text);
    const public_ = withoutPrivateAddresses(wellFormed);
    if (public_ !== wellFormed && notes.length === 0) notes.push('addresses of a private network were taken out of its text');
    return public_;
  };
  const cleanAll = (texts: readonly string[] | undefined) => texts?.map(clean);
  const link = (url: string | undefined): string | undefined => {
    if (url === undefined) return undefined;
    const wellFormed = storable(url);
    if (isPublicUrl(wellFormed)) return wellFormed;
    notes.push('its link leads into a private network and was left out');
    return undefined;
  };
  const repoPath = document.repoPath !== undefined && isRepositoryPath(document.repoPath) ? document.repoPath : undefined;
  const cleaned = {
    ...document,
    path: storable(document.path),
    title: clean(document.title),
    titleEn: document.titleEn && clean(document.titleEn),
    domain: document.domain && clean(document.domain),
    tags: cleanAll(document.tags),
    source: document.source && clean(document.source),
    sourceUrl: link(document.sourceUrl),
    repoPath,
    content: clean(document.content),
  };
  // The hash of a section includes what its labels are made of, so that a new domain or tag reaches the index.
  const labelled = [cleaned.domain, cleaned.type, cleaned.tags, cleaned.title, cleaned.titleEn];
  const sections = document.sections.map((section): PreparedSection => {
    const own = {
      ...section,
      headingPath: section.headingPath.map(clean),
      title: clean(section.title),
      titleEn: section.titleEn && clean(section.titleEn),
      summary: section.summary && clean(section.summary),
      keyTerms: cleanAll(section.keyTerms),
      source: section.source && clean(section.source),
      sourceUrl: link(section.sourceUrl),
      content: clean(section.content),
    };
    return { ...own, hash: hashOf([own, labelled]) };
  });
  return { ...cleaned, sections, notes, hash: hashOf([{ ...cleaned, sections: null }, sections.map(({ hash }) => hash)]) };
}

/** A text without the characters that Postgres refuses: YAML and JSON can spell them, though no file may hold them. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Increase it when analysis changes. Then the next import analyses every document again. */
const version = 2;

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([version, value]))
    .digest('base64url')
    .slice(0, 32);
}
