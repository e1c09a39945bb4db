// What a browser does without a page: it follows redirects, and keeps the cookies of each origin.
export interface Visited {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

const mostRedirects = 20;

export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** @param until stops before an address that begins so */
  async visit(address: string, { until }: { readonly until?: string } = {}): Promise<Visited> {
    let url = address;
    for (let hop = 0; hop < mostRedirects; hop++) {
      if (until !== undefined && url.startsWith(until)) return { status: 0, url, text: '', headers: new Headers() };
      const response = await this.request(url);
      const location = response.headers.get('location');
      if (location === null || response.status < 300 || response.status > 399)
        return { status: response.status, url, text: await response.text(), headers: response.headers };
      await response.body?.cancel();
      url = new URL(location, url).href;
    }
    throw new Error(`${address} redirects without end`);
  }

  /** One request, with the cookies of its origin. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const place = pair.indexOf('=');
      const [name, value] = [pair.slice(0, place), pair.slice(place + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
}
