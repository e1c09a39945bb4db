// A command that speaks MCP over stdio and asks its client: for its roots, for an answer of its model that may use a tool of the command, and that
// its user pays at an address. It remembers in its memory alone. @param argv[2] a folder: who has paid leaves the file `paid` there
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer, UrlElicitationRequiredError, type SamplingMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const folder = process.argv[2] ?? '.';
const mcp = new McpServer({ name: 'asking-command', version: '1.0.0' });
const text = (said: string) => ({ content: [{ type: 'text' as const, text: `${said} by ${process.pid}` }] });

mcp.registerTool('where', { description: 'Say where its caller works.' }, async () => {
  const { roots } = await mcp.server.listRoots();
  return text(roots.map(({ uri }) => uri).join(' '));
});

const double = {
  name: 'double',
  description: 'Double a number.',
  inputSchema: { type: 'object' as const, properties: { number: { type: 'number' } }, required: ['number'] },
};
mcp.registerTool('reckon', { description: 'Reckon with the help of a model.' }, async () => {
  const messages: SamplingMessage[] = [{ role: 'user', content: { type: 'text', text: 'What is twice 21?' } }];
  for (;;) {
    const { content, role } = await mcp.server.createMessage({ messages, maxTokens: 50, tools: [double], toolChoice: { mode: 'auto' } });
    const blocks = Array.isArray(content) ? content : [content];
    const results = blocks.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const { number } = z.object({ number: z.number() }).parse(block.input);
      return [{ type: 'tool_result' as const, toolUseId: block.id, content: [{ type: 'text' as const, text: String(2 * number) }] }];
    });
    if (results.length === 0) return text(JSON.stringify(blocks));
    messages.push({ role, content: blocks }, { role: 'user', content: results });
  }
});

const id = `payment-${process.pid}`;
let isPaid = false;
mcp.registerTool('order', { description: 'Order something.' }, () => {
  if (isPaid) return text('ordered');
  throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Pay there', url: 'https://shop.example/pay', elicitationId: id }]);
});
mcp.registerTool('wait', { description: 'Take a while.' }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 400));
  return text('waited');
});
setInterval(() => {
  if (isPaid || !existsSync(join(folder, 'paid'))) return;
  isPaid = true;
  void mcp.server.createElicitationCompletionNotifier(id)();
}, 50).unref();

await mcp.connect(new StdioServerTransport());
