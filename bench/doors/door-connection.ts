import { Agent } from 'undici';

interface Place {
  readonly base: string;
  readonly bareMcpUrl: string;
  readonly apiKey: string;
}

/** One caller with a kept connection to each server. */
export class DoorConnection implements Disposable {
  readonly #place: Place;
  readonly #agent = new Agent({ connections: 1, pipelining: 1 });

  constructor(place: Place) {
    this.#place = place;
  }

  /** Fills the cache, for doors whose calls are to be answered from it. */
  async warm(parameters: object): Promise<void> {
    await this.post('/tools/calc_metrics', parameters);
  }

  async post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return JSON.parse(await this.#send(this.#place.base, path, { method: 'POST', body: JSON.stringify(body), headers }));
  }

  async postBare(body: object, headers: Readonly<Record<string, string>>): Promise<unknown> {
    return JSON.parse(await this.#send(this.#place.bareMcpUrl, '/mcp', { method: 'POST', body: JSON.stringify(body), headers }));
  }

  async get(path: string): Promise<unknown> {
    return JSON.parse(await this.#send(this.#place.base, path, { method: 'GET', headers: {} }));
  }

  /** The data of the last event of a stream. */
  async lastEvent(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<unknown> {
    const text = await this.#send(this.#place.base, path, { method: 'POST', body: JSON.stringify(body), headers });
    return JSON.parse(
      text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice(6) ?? 'null',
    );
  }

  [Symbol.dispose](): void {
    void this.#agent.destroy();
  }

  async #send(
    base: string,
    path: string,
    {
      method,
      body,
      headers,
    }: { readonly method: 'GET' | 'POST'; readonly body?: string; readonly headers: Readonly<Record<string, string>> },
  ): Promise<string> {
    const { statusCode, body: answer } = await this.#agent.request({
      origin: base,
      path,
      method,
      headers: {
        authorization: `Bearer ${this.#place.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (statusCode !== 200 && statusCode !== 202) throw new Error(`${statusCode}: ${text.slice(0, 200)}`);
    return text;
  }
}
