const link = /\[\[(root|[0-9a-f]{12})(?:\\?\|[^\][\n]*)?\]\]/g;

/** Ids that a text points to as `[[id]]` or `[[id|words]]`, each once, in their order (C-70). */
export function linkedIds(text: string): readonly string[] {
  return [...new Set([...text.matchAll(link)].map(([, id]) => id ?? ''))];
}
