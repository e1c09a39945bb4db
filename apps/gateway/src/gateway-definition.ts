import type { ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { GatewaySettings } from './config.js';
import type { McpExtension } from './doors/mcp/server.js';

/** What makes one gateway different from another. */
export interface GatewayDefinition {
  readonly settings: GatewaySettings;
  readonly contracts: readonly ToolContract[];
  readonly log: Logger;
  /** The built console. Default `dist/console`. */
  readonly consoleDir?: string;
  /** The built documentation. Default `dist/docs`. */
  readonly docsDir?: string;
  /** Parts of MCP beside the product's own, for tests of the protocol. */
  readonly mcpExtensions?: readonly McpExtension[];
}
