import { createRuntime } from 'mcporter';
import { askAll, textOf } from './host.mjs';
import { headers, mcpUrl } from './task.mjs';

const servers = [{ name: 'invoq', command: { kind: 'http', url: new URL(mcpUrl), headers } }];
const runtime = await createRuntime({ servers });
const tools = await runtime.listTools('invoq', { includeSchema: true });
await askAll(tools, async (name, input) => textOf(await runtime.callTool('invoq', name, { args: input })));
await runtime.close();
process.exit(0);
