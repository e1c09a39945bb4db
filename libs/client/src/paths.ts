/** The query of the fields that have a value, with its `?`; empty without one. */
export function queryOf(given: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}

export function jobPath(jobId: string): string {
  return `jobs/${encodeURIComponent(jobId)}`;
}
