import type { Freshness, LodLevel } from '#lib/contracts';
import { summarise, truncate } from '#lib/retrieval';
import type { ListedNode } from '../store/node-state.js';
import type { Layers, Reader } from '../store/reader.js';

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

/** What decides a node's texts. */
type NodeTextFacts = Pick<ListedNode, 'title' | 'detailHash' | 'briefHash' | 'summaryHash' | 'summaryOf'>;

interface LevelText {
  readonly text: string;
  readonly freshness: Freshness;
  /** Said when another layer had to stand in. */
  readonly warning?: string;
}

/** Texts of some nodes by level, read together. */
export class NodeTexts {
  readonly #layers: Layers;

  private constructor(layers: Layers) {
    this.#layers = layers;
  }

  /** Reads what the wanted levels need and nothing more: a million characters stay where they are while a title is shown. */
  static async load(reader: Reader, wanted: readonly { readonly node: NodeTextFacts; readonly level: LodLevel }[]): Promise<NodeTexts> {
    const hashes = new Set<string>();
    const sources = new Set<string>();
    const standIns = new Set<string>();
    for (const { node, level } of wanted) {
      // Whatever is shown, the freshness of the summary is told.
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

/** Without reading anything: what can be said of a node that was just written. */
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
