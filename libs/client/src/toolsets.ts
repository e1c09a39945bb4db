import { requestParts, type RequestOptions } from './call-request.js';
import { Named } from './named.js';
import type { Requests } from './requests.js';
import type { NewToolset, Toolset, ToolsetForm, ToolsetList, ToolsetPreview } from './toolset-wire.js';

/** Named sets of tools: what agents see and call, under which names. The key needs the scope `tenant:admin`. */
export class Toolsets extends Named<Toolset, NewToolset, ToolsetList> {
  constructor(requests: Requests) {
    super(requests, 'toolsets');
  }

  /** What an agent sees of a set, by its name or as it would be, and how many tokens that takes. */
  async preview(
    toolset: string | NewToolset,
    { format = 'mcp', ...options }: RequestOptions & { readonly format?: ToolsetForm } = {},
  ): Promise<ToolsetPreview> {
    if (typeof toolset === 'string') return this.requests.get<ToolsetPreview>(`${this.path(toolset)}/preview?format=${format}`, options);
    const sent = { method: 'POST', body: toolset, ...requestParts(options) } as const;
    return this.requests.transport.json<ToolsetPreview>(`toolsets/preview?format=${format}`, sent);
  }
}
