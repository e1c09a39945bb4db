// Under which names clients know what outside servers have. They follow from the name of the server and its own name for the thing alone, so
// a server that comes later changes none.

const scheme = 'outside://';
const withServer = /^outside:\/\/([^/]+)\/(.+)$/s;

/** The address of a resource, or a template of addresses, of an outside server: `outside://<server>/<its own>`. */
export function addressHere(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}

/** The server and its own address; null for an address of ours. */
export function addressThere(uri: string): { readonly server: string; readonly uri: string } | null {
  const [, server, own] = withServer.exec(uri) ?? [];
  return server !== undefined && own !== undefined ? { server, uri: own } : null;
}
