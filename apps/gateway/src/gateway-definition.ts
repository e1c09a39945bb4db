import type { McpExtension } from './doors/mcp/server.js';
import type { StoresDefinition } from './stores.js';

/** What makes one gateway different from another. */
export interface GatewayDefinition extends StoresDefinition {
  /** The built console. Default `dist/console`. */
  readonly consoleDir?: string;
  /** The built documentation. Default `dist/docs`. */
  readonly docsDir?: string;
  /** Parts of MCP beside the product's own, for tests of the protocol. */
  readonly mcpExtensions?: readonly McpExtension[];
}
