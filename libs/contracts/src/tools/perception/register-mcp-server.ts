import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { connectionNeed } from '../../console/accounts.js';
import { upstreamRules } from '../../upstream-rules.js';
import { appRules } from '../../outside/apps.js';
import { relayedAsk, relayedAsks } from '../../outside/relayed.js';
import { maxOutsideServerName, outsideKinds, outsideServerName } from '../../outside/server.js';

const listed = z.strictObject({
  name: z.string().describe('Its name here.'),
  tool: z.string().describe('Its name there.'),
  title: z.string(),
  note: z.string().optional().describe('What of its definition is not checked here, or not kept.'),
});
const faulty = z.strictObject({ tool: z.string(), reason: z.string() });

/** @limit outside servers: characters of an OpenAPI document that is sent; INVALID_PARAMS */
const maxDocument = 8 * 1024 * 1024;
/** Characters of the queries of a database. */
const maxQueries = 5_000_000;
const patterns = z.array(z.string().min(1).max(300)).min(1).max(200);

/** Approves an outside server with its present tools (TU-94, C-80). `POST /mcp/servers` calls it. */
export const registerMcpServer = defineTool({
  name: 'register_mcp_server',
  version: '1.7.0',
  changelog: {
    '1.7.0': "The kind sql: tools made of named queries of a Postgres database, with 'queries'.",
    '1.6.0': "'apps': what the pages of its tools may load and use.",
    '1.5.0': "'may_ask': what the server may ask of its callers' clients besides forms.",
    '1.4.0': "'connection': each call is made with the account of its caller at a provider.",
    '1.3.0': "The kind openapi: tools made of an OpenAPI document, with 'document', 'base_url', 'include' and 'exclude'.",
    '1.2.0': 'Up to 1,000 tools; notes on definitions; a time limit over 15 s counts for the start of a server too.',
    '1.1.0': 'The server is the caller\'s tenant\'s own; with tenants "*" an operator registers it for all.',
    '1.0.1': 'An attempt takes 10 s by default instead of 30 s.',
    '1.0.0': 'First version.',
  },
  title: 'Register an outside tool server',
  description:
    'Connect to an outside server, read the definitions of its tools, and serve them under <name>__<tool>, or a legal form of that name, to your tenant alone. Registering a name again approves its tools as they are now.',
  zh: {
    title: '注册外部工具服务器',
    description: '连接一个外部服务器，读取其工具定义，并以 <名称>__<工具> 或其合法形式仅提供给本租户。再次注册同一名称即批准其现在的工具。',
  },
  domain: 'perception',
  effect: 'write',
  scopes: ['tenant:admin'],
  unlisted: true,
  maxInputBytes: 10 * 1024 * 1024,
  input: z.strictObject({
    name: z
      .string()
      .max(maxOutsideServerName)
      .regex(outsideServerName, { error: "Parameter 'name' must be lower-case letters and digits with single - or _ between them" })
      .describe('The first part of the names of its tools, at most 24 characters.'),
    url: z
      .url({ protocol: /^(https?|postgres(ql)?)$/ })
      .max(2_000)
      .optional()
      .describe('Where it answers; either this or stdio. Of a database without its login, which is sealed.'),
    stdio: z.string().max(64).optional().describe("Which of the worker's own commands starts it; with tenants '*' alone."),
    tenants: z
      .enum(['own', '*'])
      .default('own')
      .describe('own: for your tenant alone. *: for all tenants, with the headers given here; needs the scope admin.'),
    kind: z
      .enum(['auto', ...outsideKinds])
      .default('auto')
      .describe(
        'How to speak to it; auto tries MCP, then REST. openapi: url is that of a document of OpenAPI 3.0 or 3.1. sql: url is that of a Postgres database.',
      ),
    document: z
      .string()
      .max(maxDocument)
      .nullable()
      .default(null)
      .describe('The OpenAPI document itself, in place of url, as JSON or YAML.'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .nullable()
      .default(null)
      .describe('Where the service of the document answers; by default where the document says.'),
    include: patterns
      .nullable()
      .default(null)
      .describe('Only these operations of the document: names, "tag:NAME" or "GET /path", with * for any characters.'),
    exclude: patterns.nullable().default(null).describe('Not these operations, in the same form.'),
    queries: z
      .string()
      .max(maxQueries)
      .nullable()
      .default(null)
      .describe(
        'Of the kind sql: the queries that are its tools, a list in JSON of { name, description, sql, parameters, max_rows, timeout_ms }.',
      ),
    connection: connectionNeed
      .nullable()
      .default(null)
      .describe(
        "Each call is made with its caller's own account at this provider of the tenant: its token takes the place of fixed headers.",
      ),
    may_ask: z
      .array(relayedAsk)
      .max(relayedAsks.length)
      .default([])
      .describe(
        "What the server may ask of its callers' clients within a call: sampling, an answer of their model, which they pay; roots, the folders that they work with.",
      ),
    apps: appRules
      .prefault({})
      .describe('What the pages of its tools (MCP Apps) may load and use in a client. By default nothing from outside the page.'),
    sealed_headers: z.string().max(20_000).optional().describe('Headers and credentials to send, sealed by the gateway.'),
    tools: z.array(z.string().max(512)).max(2_000).optional().describe('Only these of its tools; all when absent.'),
    timeout_ms: z
      .int()
      .min(1_000)
      .max(120_000)
      .default(upstreamRules.timeoutMs)
      .describe('Time limit of an attempt, and of the start of the server where it takes longer than usual, 1,000–120,000 ms.'),
    cache_ttl: z.int().min(1).max(86_400).optional().describe('Seconds that answers of tools that only read are kept, 1–86,400.'),
  }),
  output: z.strictObject({
    name: z.string(),
    kind: z.enum(['mcp', 'rest']).describe('How it is spoken to; rest also for the service of an OpenAPI document, and for a database.'),
    revision: z.string().nullable().describe('Of the protocol, where it is MCP.'),
    approval: z.int().min(1).describe('Counts approvals; the major version of its tools.'),
    tools: z.array(listed),
    rejected: z.array(faulty).describe('Definitions that break a rule, with the rule.'),
    warnings: z.array(z.string()).optional().describe('What else is to be known, such as that the role of a database can write.'),
  }),
  errors: { SERVER_NOT_ALLOWED: 'PERMISSION_DENIED', SERVER_UNUSABLE: 'INVALID_PARAMS' },
  timeoutMs: 150_000,
  estimatedTokens: { input: 50, output: { typical: 400 } },
  examples: [
    {
      input: { name: 'everything', url: 'https://mcp.example.com/mcp' },
      output: {
        name: 'everything',
        kind: 'mcp',
        revision: '2025-11-25',
        approval: 1,
        tools: [{ name: 'everything__echo', tool: 'echo', title: 'Echo' }],
        rejected: [],
      },
    },
  ],
});
