// A client of /mcp that listens for changes of resources, in either kind of revisions.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface Listener {
  readonly client: Client;
  /** The addresses of which it was told, in order. */
  readonly heard: readonly string[];
  readonly listen: (...uris: readonly string[]) => Promise<void>;
}

export interface ListenerOptions {
  readonly mode: 'auto' | 'legacy';
  readonly key: string;
}

/** @param url of the gateway's `/mcp` */
export async function openListener(url: URL, { mode, key }: ListenerOptions): Promise<Listener> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
  return {
    client,
    heard,
    listen: async (...uris) => {
      if (mode === 'auto') return void (await client.listen({ resourceSubscriptions: [...uris] }));
      for (const uri of uris) await client.subscribeResource({ uri });
    },
  };
}
