const link = /\[\[(root|[0-9a-f]{12})(?:\\?\|[^\][\n]*)?\]\]/g;

/** The ids that a text links to as `[[id]]` or `[[id|words]]`, each once, in order of appearance (C-70). */
export function linkedIds(text: string): readonly string[] {
  return [...new Set([...text.matchAll(link)].map(([, id]) => id ?? ''))];
}
