// Under which names clients know what outside servers have. They follow from the name of the server and its own name for the thing alone, so
// a server that comes later changes none. Pages of MCP Apps keep their scheme, by which clients know them.

const scheme = 'outside://';
const withServer = /^outside:\/\/([^/]+)\/(.+)$/s;
const page = /^ui:\/\/(.+)$/s;
const pageWithServer = /^ui:\/\/([^/]+)\/(.+)$/s;

/** The address of a resource, or a template of addresses, of an outside server: `outside://<server>/<its own>`, or `ui://<server>/<its own>`. */
export function addressHere(server: string, uri: string): string {
  const [, own] = page.exec(uri) ?? [];
  return own === undefined ? `${scheme}${server}/${uri}` : `ui://${server}/${own}`;
}

/** The server and its own address; null for an address of ours. */
export function addressThere(uri: string): { readonly server: string; readonly uri: string } | null {
  const [, ofPage, ownPage] = pageWithServer.exec(uri) ?? [];
  if (ofPage !== undefined && ownPage !== undefined) return { server: ofPage, uri: `ui://${ownPage}` };
  const [, server, own] = withServer.exec(uri) ?? [];
  return server !== undefined && own !== undefined ? { server, uri: own } : null;
}
