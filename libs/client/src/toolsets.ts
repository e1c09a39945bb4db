import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';
import type { NewToolset, Toolset, ToolsetForm, ToolsetList, ToolsetPreview } from './toolset-wire.js';

/** Named sets of tools: what agents see and call, under which names. The key needs the scope `tenant:admin`. */
export class Toolsets {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(options: RequestOptions = {}): Promise<ToolsetList> {
    return this.#requests.get<ToolsetList>('toolsets', options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Toolset> {
    return this.#requests.get<Toolset>(pathOf(name), options);
  }

  /** Makes one, or puts it in the place of another. */
  async put(name: string, toolset: NewToolset, options: RequestOptions = {}): Promise<Toolset> {
    return this.#requests.transport.json<Toolset>(pathOf(name), { method: 'PUT', body: toolset, ...requestParts(options) });
  }

  async delete(name: string, options: RequestOptions = {}): Promise<Toolset> {
    return this.#requests.transport.json<Toolset>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }

  /** What an agent sees of a set, by its name or as it would be, and how many tokens that takes. */
  async preview(
    toolset: string | NewToolset,
    { format = 'mcp', ...options }: RequestOptions & { readonly format?: ToolsetForm } = {},
  ): Promise<ToolsetPreview> {
    if (typeof toolset === 'string') return this.#requests.get<ToolsetPreview>(`${pathOf(toolset)}/preview?format=${format}`, options);
    const sent = { method: 'POST', body: toolset, ...requestParts(options) } as const;
    return this.#requests.transport.json<ToolsetPreview>(`toolsets/preview?format=${format}`, sent);
  }
}

function pathOf(name: string): string {
  return `toolsets/${encodeURIComponent(name)}`;
}
