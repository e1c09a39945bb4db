/** What clients of five kinds send besides what a request needs, as it came from them. */
const kinds: readonly Readonly<Record<string, string>>[] = [
  { 'user-agent': 'curl/8.14.1', accept: '*/*' },
  { connection: 'keep-alive', accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' },
  { Accept: '*/*', 'Accept-Encoding': 'gzip, deflate', Connection: 'keep-alive', 'User-Agent': 'python-httpx/0.28.1' },
  { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip' },
  { Accept: 'application/json', Connection: 'Keep-Alive', 'Accept-Encoding': 'gzip', 'User-Agent': 'okhttp/4.12.0' },
];

/** The headers of one of many callers. */
export function clientHead(caller: number): Readonly<Record<string, string>> {
  return kinds[caller % kinds.length] ?? {};
}
