import type { Freshness, LodLevel } from '#lib/contracts';
import { summarise, truncate } from '#lib/retrieval';
import type { NodeVersion } from '../store/node-state.js';
import type { Reader, SummaryRow } from '../store/reader.js';

/** A text that is no longer than this is its own summary. */
export const shortChars = 200;
const summaryChars = 400;
const briefChars = 120;

/** Made from the text's own sentences: deterministic, offline, milliseconds. */
export function extract(text: string): { readonly summary: string; readonly brief: string } {
  const summary = text.length <= shortChars ? text : summarise(text, summaryChars) || truncate(text, summaryChars);
  const [sentence = summary] = /^.+?(?:[。！？]|[.!?](?=\s)|\n|$)/su.exec(summary.trim()) ?? [];
  return { summary, brief: truncate(sentence.trim(), briefChars) };
}

interface LevelText {
  readonly text: string;
  readonly freshness: Freshness;
  /** Said when another layer had to stand in. */
  readonly warning?: string;
}

/** Texts of some nodes by level, read together. */
export class NodeTexts {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #summaries: ReadonlyMap<string, SummaryRow>;

  private constructor(texts: ReadonlyMap<string, string>, summaries: ReadonlyMap<string, SummaryRow>) {
    this.#texts = texts;
    this.#summaries = summaries;
  }

  /** Reads what the wanted levels need and nothing more: a million characters stay where they are while a title is shown. */
  static async load(reader: Reader, wanted: readonly { readonly node: NodeVersion; readonly level: LodLevel }[]): Promise<NodeTexts> {
    const generated = wanted.filter(({ node, level }) => level !== 'Title' && level !== 'Detail' && node.summaryOf !== null);
    const summaries = await reader.summaries(generated.map(({ node }) => node.summaryOf));
    const texts = await reader.texts(
      wanted.flatMap(({ node, level }) => {
        if (level === 'Title') return [];
        if (level === 'Detail') return [node.detailHash];
        const made = summaries.get(node.summaryOf ?? '')?.state === 'Completed';
        const own = level === 'Summary' ? [node.summaryHash] : [node.briefHash, node.summaryHash];
        return [...own, made ? null : (node.summaryOf ?? node.detailHash)];
      }),
    );
    return new NodeTexts(texts, summaries);
  }

  at(node: NodeVersion, level: LodLevel): LevelText {
    const freshness = this.#freshness(node);
    if (level === 'Title') return { text: node.title, freshness };
    if (level === 'Detail') return { text: this.#text(node.detailHash), freshness };
    const written = level === 'Summary' ? node.summaryHash : (node.briefHash ?? node.summaryHash);
    if (written !== null) {
      const text = this.#text(written);
      return { text: level === 'Brief' && node.briefHash === null ? extract(text).brief : text, freshness };
    }
    if (node.summaryOf === null) {
      if (level === 'Brief') return { text: node.title, freshness, warning: 'There is no brief; the title stands in for it' };
      return { text: this.#text(node.detailHash), freshness, warning: 'There is no summary; the content stands in for it' };
    }
    const row = this.#summaries.get(node.summaryOf);
    const made = row?.state === 'Completed' ? { summary: row.summary ?? '', brief: row.brief ?? '' } : extract(this.#text(node.summaryOf));
    return { text: level === 'Summary' ? made.summary : made.brief, freshness };
  }

  #freshness(node: NodeVersion): Freshness {
    if (node.summaryOf === null) return 'none';
    if (node.summaryOf !== node.detailHash) return 'stale';
    const state = this.#summaries.get(node.summaryOf)?.state;
    return node.summaryHash === null && (state === 'Pending' || state === 'InProgress') ? 'pending' : 'fresh';
  }

  #text(hash: string): string {
    return this.#texts.get(hash) ?? '';
  }
}

/** Without reading anything: what can be said of a node that was just written. */
export function freshnessOf({ summaryOf, detailHash, summaryHash, detailChars }: NodeVersion | Omit<NodeVersion, 'layerId'>): Freshness {
  if (summaryOf === null) return 'none';
  if (summaryOf !== detailHash) return 'stale';
  return summaryHash === null && detailChars > shortChars ? 'pending' : 'fresh';
}
