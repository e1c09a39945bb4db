/** A page of the documentation, in Markdown. */
export interface Page {
  /** Where it is below `/docs/`, such as `tutorials/first-call`; empty for the first page. Chinese pages begin with `zh/`. */
  readonly slug: string;
  readonly title: string;
  /** One or two sentences of plain text, for search engines and lists. */
  readonly description: string;
  /** Markdown without the title. Links to other pages are whole paths, such as `/docs/tutorials/first-call/`. */
  readonly body: string;
}

/** The address of a page. */
export function addressOf(slug: string): string {
  return slug === '' ? '/docs/' : `/docs/${slug}/`;
}

/** A Markdown table; cells may hold anything. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A text of the sources as Markdown that shows it as it is. */
export function plain(text: string): string {
  return text.replaceAll(/[\\<*_[\]`]/g, '\\$&');
}

export function code(text: string): string {
  const fence = '`'.repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

export function block(language: string, text: string, title?: string): string {
  return `\`\`\`${language}${title ? ` title="${title}"` : ''}\n${text.trimEnd()}\n\`\`\``;
}
