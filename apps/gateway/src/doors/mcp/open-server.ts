import {
  McpServer,
  Server,
  type Implementation,
  type JSONRPCRequest,
  type McpServerOptions,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

class OpenServer extends Server {
  /** What answers this method now. */
  handlerOf(method: string): Handler | undefined {
    return this._getRequestHandler(method);
  }
}

/** A server whose handlers can be taken up into others: what outside servers have is told beside our own. */
export class OpenMcpServer extends McpServer {
  override readonly server: OpenServer;

  constructor(info: Implementation, options: McpServerOptions) {
    super(info);
    this.server = new OpenServer(info, options);
  }
}
