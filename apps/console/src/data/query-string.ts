/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryString(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size > 0 ? `?${query.toString()}` : '';
}
