import { Client, ProtocolError, ProtocolErrorCode, SdkHttpError, type CallToolResult, type Transport } from '@modelcontextprotocol/client';
import { outsideTool } from '#lib/contracts';
import { traceparentOf } from '#lib/platform';
import { truncateMessage, type ToolListing, type Upstream, type UpstreamAnswer, type UpstreamCall } from './upstream.js';

const clientInfo = { name: 'invoq', version: '1.0.0' };
const connectMs = 15_000;
/** Most pages of a list of tools that are read. */
const maxPages = 20;

/**
 * A server of the Model Context Protocol, in any revision. The client declares no capabilities, so the server can request nothing of
 * us. Calls carry the trace context (SEP-414).
 */
export class McpUpstream implements Upstream {
  readonly kind = 'mcp';
  readonly #client: Client;
  onToolsChanged: (() => void) | null = null;
  onClosed: (() => void) | null = null;

  private constructor(client: Client) {
    this.#client = client;
    client.setNotificationHandler('notifications/tools/list_changed', () => this.onToolsChanged?.());
    client.onclose = () => this.onClosed?.();
  }

  static async connect(transport: Transport, signal: AbortSignal): Promise<McpUpstream> {
    const client = new Client(clientInfo, { capabilities: {}, versionNegotiation: { mode: 'auto' } });
    const upstream = new McpUpstream(client);
    // The client heeds the signal only after its first request, so a server that goes on sending would keep its socket.
    const stop = (): void => void transport.close().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect(transport, { signal, timeout: connectMs });
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return upstream;
  }

  get revision(): string | null {
    return this.#client.getNegotiatedProtocolVersion() ?? null;
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    const tools: ToolListing['tools'][number][] = [];
    const malformed: ToolListing['malformed'][number][] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const answer = await this.#client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        { signal, timeout: connectMs },
      );
      for (const tool of answer.tools) {
        const parsed = outsideTool.safeParse(tool);
        if (parsed.success) tools.push(parsed.data);
        else malformed.push({ tool: tool.name, reason: 'its definition has not the shape of one' });
      }
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return { tools, malformed };
  }

  async call({ tool, input, signal, timeoutMs, onProgress, recordUpstreamAnswer }: UpstreamCall): Promise<UpstreamAnswer> {
    const api = `tools/call ${tool}`;
    const traceparent = traceparentOf();
    try {
      const result = await this.#client.request(
        { method: 'tools/call', params: { name: tool, arguments: { ...input }, ...(traceparent && { _meta: { traceparent } }) } },
        {
          signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: false,
          onprogress: ({ progress, total, message }) =>
            onProgress(total ? (100 * progress) / total : Math.min(99, progress), message ?? `${tool} goes on`),
        },
      );
      recordUpstreamAnswer({ api, status: result.isError ? 'isError' : 'result', body: result });
      return answerOf(result);
    } catch (error) {
      if (error instanceof SdkHttpError) recordUpstreamAnswer({ api, status: error.status, body: error.data['text'] ?? null });
      if (!(error instanceof ProtocolError)) throw error;
      recordUpstreamAnswer({ api, status: error.code, body: { message: error.message, data: error.data } });
      return refusalOf(error);
    }
  }

  async close(): Promise<void> {
    this.onClosed = null;
    await this.#client.close();
  }
}

/** The structured content if there is any, otherwise the blocks. */
function answerOf({ content, structuredContent, isError }: CallToolResult): UpstreamAnswer {
  if (!isError) return { kind: 'done', data: structuredContent ?? { content } };
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { kind: 'refused', invalidParams: false, message: truncateMessage(text || 'The tool failed without a word') };
}

function refusalOf(error: ProtocolError): UpstreamAnswer {
  const invalidParams = error.code === ProtocolErrorCode.InvalidParams;
  return { kind: 'refused', invalidParams, message: truncateMessage(error.message) };
}
