// How clients of the Model Context Protocol are told of this gateway. The key is never in it: its place is marked, or a variable names it.

export const mcpClients = ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex'] as const;
export type McpClient = (typeof mcpClients)[number];

export interface McpSetup {
  /** Where it goes. */
  readonly place: string;
  readonly text: string;
}

const keyPlace = 'Bearer invoq_…';

/** @param origin of the gateway, such as `http://127.0.0.1:3000` */
export function mcpSetup(client: McpClient, origin: string): McpSetup {
  const url = `${origin}/mcp?result=data`;
  const headers = { Authorization: keyPlace };
  switch (client) {
    case 'Claude Code':
      return { place: '$', text: `claude mcp add --transport http invoq "${url}" --header "Authorization: Bearer $INVOQ_API_KEY"` };
    case 'Claude Desktop': {
      const args = ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH}'];
      return {
        place: 'claude_desktop_config.json',
        text: json({ mcpServers: { invoq: { command: 'npx', args, env: { AUTH: keyPlace } } } }),
      };
    }
    case 'Cursor':
      return { place: '.cursor/mcp.json', text: json({ mcpServers: { invoq: { url, headers } } }) };
    case 'VS Code': {
      const inputs = [{ type: 'promptString', id: 'invoq', description: 'Key of Invoq', password: true }];
      const servers = { invoq: { type: 'http', url, headers: { Authorization: 'Bearer ${input:invoq}' } } };
      return { place: '.vscode/mcp.json', text: json({ inputs, servers }) };
    }
    case 'Codex':
      return { place: '~/.codex/config.toml', text: `[mcp_servers.invoq]\nurl = "${url}"\nbearer_token_env_var = "INVOQ_API_KEY"` };
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
