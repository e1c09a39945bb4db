import type { Freshness, LodLevel } from '#lib/contracts';
import { summarise, truncate } from '#lib/retrieval';
import type { ListedNode } from '../store/node-state.js';
import type { Layers, Reader } from '../store/reader.js';

/** A text of at most this length is its own summary. */
export const shortChars = 200;
const summaryChars = 400;
const briefChars = 120;

/** Makes a summary and a brief of the text's own sentences. Deterministic, without network or model. */
export function extract(text: string): { readonly summary: string; readonly brief: string } {
  const summary = text.length <= shortChars ? text : summarise(text, summaryChars) || truncate(text, summaryChars);
  const [sentence = summary] = /^.+?(?:[。！？]|[.!?](?=\s)|\n|$)/su.exec(summary.trim()) ?? [];
  return { summary, brief: truncate(sentence.trim(), briefChars) };
}

/** The fields of a node that decide its texts. */
type NodeTextFacts = Pick<ListedNode, 'title' | 'detailHash' | 'briefHash' | 'summaryHash' | 'summaryOf'>;

interface LevelText {
  readonly text: string;
  readonly freshness: Freshness;
  /** Set if another layer is shown instead of the one that was asked for. */
  readonly warning?: string;
}

/** The texts of several nodes by level, read with one statement. */
export class NodeTexts {
  readonly #layers: Layers;

  private constructor(layers: Layers) {
    this.#layers = layers;
  }

  /** Reads only what the levels need: showing a title does not read a million characters of content. */
  static async load(reader: Reader, wanted: readonly { readonly node: NodeTextFacts; readonly level: LodLevel }[]): Promise<NodeTexts> {
    const hashes = new Set<string>();
    const sources = new Set<string>();
    const standIns = new Set<string>();
    for (const { node, level } of wanted) {
      // The freshness of the summary is part of every answer.
      if (node.summaryOf !== null) sources.add(node.summaryOf);
      if (level === 'Title') continue;
      const written = level === 'Detail' ? node.detailHash : level === 'Summary' ? node.summaryHash : (node.briefHash ?? node.summaryHash);
      if (written !== null) hashes.add(written);
      else if (node.summaryOf !== null) standIns.add(node.summaryOf);
      else if (level === 'Summary') hashes.add(node.detailHash);
    }
    return new NodeTexts(await reader.layers({ hashes, sources, standIns }));
  }

  at(node: NodeTextFacts, level: LodLevel): LevelText {
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
    const row = this.#layers.summaries.get(node.summaryOf);
    const made = row?.state === 'Completed' ? { summary: row.summary ?? '', brief: row.brief ?? '' } : extract(this.#text(node.summaryOf));
    return { text: level === 'Summary' ? made.summary : made.brief, freshness };
  }

  #freshness(node: NodeTextFacts): Freshness {
    if (node.summaryOf === null) return 'none';
    if (node.summaryOf !== node.detailHash) return 'stale';
    const state = this.#layers.summaries.get(node.summaryOf)?.state;
    return node.summaryHash === null && (state === 'Pending' || state === 'InProgress') ? 'pending' : 'fresh';
  }

  #text(hash: string): string {
    return this.#layers.texts.get(hash) ?? '';
  }
}

/** The freshness of a node that was just written, from its state alone. */
export function freshnessOf({
  summaryOf,
  detailHash,
  summaryHash,
  detailChars,
}: NodeTextFacts & { readonly detailChars: number }): Freshness {
  if (summaryOf === null) return 'none';
  if (summaryOf !== detailHash) return 'stale';
  return summaryHash === null && detailChars > shortChars ? 'pending' : 'fresh';
}
