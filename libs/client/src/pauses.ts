import type { Pause, PauseList, NewPause } from './pause-wire.js';
import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';

/** Calls that wait, or are refused, until somebody ends it. The key needs the scope `tenant:admin`. */
export class Pauses {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** With how many calls wait for each. */
  async list(options: RequestOptions = {}): Promise<PauseList> {
    return this.#requests.get<PauseList>('pauses', options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Pause> {
    return this.#requests.get<Pause>(pathOf(name), options);
  }

  /** Makes one, or puts it in the place of another. */
  async put(name: string, pause: NewPause, options: RequestOptions = {}): Promise<Pause> {
    return this.#requests.transport.json<Pause>(pathOf(name), { method: 'PUT', body: pause, ...requestParts(options) });
  }

  /** Ends it: the calls that wait for it go on. */
  async delete(name: string, options: RequestOptions = {}): Promise<Pause> {
    return this.#requests.transport.json<Pause>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }
}

function pathOf(name: string): string {
  return `pauses/${encodeURIComponent(name)}`;
}
