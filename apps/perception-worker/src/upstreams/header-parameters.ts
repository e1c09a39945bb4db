// Parameters that a client sends as headers too, so that proxies can route by them (`x-mcp-header`, SEP-2243, since MCP 2026-07-28).

const marker = 'x-mcp-header';
/** A name of a header (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = ['string', 'integer', 'boolean'];
/** How deep a schema is looked at; a server's may have no end. */
const deepest = 64;

/**
 * Why the marks of a tool cannot be followed; null where they can, or there is none. A client must leave such a tool out over HTTP: its server
 * refuses every call.
 */
export function headerFault(schema: unknown): string | null {
  const names = new Set<string>();
  const look = (node: unknown, isReachable: boolean, depth: number): string | null => {
    if (typeof node !== 'object' || node === null || depth > deepest) return null;
    const fault = marker in node ? faultOf({ ...node }, isReachable, names) : null;
    if (fault !== null) return fault;
    for (const [keyword, part] of Object.entries(node)) {
      const isProperties = keyword === 'properties' && !Array.isArray(node);
      const parts = isProperties && typeof part === 'object' && part !== null ? Object.values(part) : [part];
      for (const one of parts) {
        const inner = look(one, isReachable && isProperties, depth + 1);
        if (inner !== null) return inner;
      }
    }
    return null;
  };
  return look(schema, true, 0);
}

/** Of one mark. Names may come once. */
function faultOf({ [marker]: name, type }: Readonly<Record<string, unknown>>, isReachable: boolean, names: Set<string>): string | null {
  if (!isReachable) return `its ${marker} may mark properties alone, and no part of a condition or a list`;
  if (typeof name !== 'string' || !token.test(name)) return `its ${marker} must be the name of a header`;
  if (!types.includes(String(type))) return `its ${marker} '${name}' may mark ${types.join(', ')} alone`;
  if (names.has(name.toLowerCase())) return `its ${marker} '${name}' marks two parameters`;
  names.add(name.toLowerCase());
  return null;
}
