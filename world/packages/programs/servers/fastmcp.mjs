// A server as the README of FastMCP shows it.
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Add two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
server.addTool({ name: 'now', description: 'Tell the time.', execute: async () => new Date().toISOString() });
await server.start({ transportType: 'httpStream', httpStream: { port: Number(process.argv[2]), host: '127.0.0.1' } });
