/** Metadata of a section, from the quotation under its heading. */
export interface SectionFacts {
  readonly titleEn?: string;
  readonly summary?: string;
  readonly keyTerms?: readonly string[];
  readonly source?: string;
  readonly sourceUrl?: string;
}

/**
 * Reads the quotation that may follow a heading:
 * ```
 * > **English title.** A summary in a sentence or two.
 * > **Key terms:** term, term, 术语
 * > **Source:** organisation, document, year, https://…
 * ```
 * Every line is optional. Null for any other quotation, which is then part of the content.
 * @param lines without their `>`
 */
export function readSectionFacts(lines: readonly string[]): SectionFacts | null {
  let facts: SectionFacts = {};
  for (const line of joined(lines)) {
    const [, label = '', text = ''] = /^\*\*(.+?)\*\*\s*(.*)$/.exec(line) ?? [];
    if (label === '') return null;
    if (/^(key ?terms|关键词|关键术语)[:：]?$/i.test(label)) facts = { ...facts, keyTerms: text.split(/[,，、;；]\s*/).filter(Boolean) };
    else if (/^(source|来源)[:：]?$/i.test(label)) facts = { ...facts, ...readSource(text) };
    else if (facts.titleEn === undefined && /[.。]$/.test(label)) facts = { ...facts, titleEn: label.slice(0, -1), summary: text };
    else return null;
  }
  return Object.keys(facts).length > 0 ? facts : null;
}

/** Joins lines: one that does not begin in bold continues the line before it. */
function joined(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines.map((one) => one.trim()).filter(Boolean)) {
    if (line.startsWith('**') || whole.length === 0) whole.push(line);
    else whole.push(`${whole.pop() ?? ''} ${line}`);
  }
  return whole;
}

function readSource(text: string): SectionFacts {
  const [url] = /https?:\/\/\S+/.exec(text) ?? [];
  return {
    source: text.replace(url ?? '', '').replace(/(?<![,，\s])[,，\s]+$/, ''),
    ...(url !== undefined && { sourceUrl: url.replace(/(?<![.,;，。])[.,;，。]+$/, '') }),
  };
}
