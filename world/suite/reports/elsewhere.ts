/** Reports that need no system of their own, and the test that tries each. */
export const triedElsewhere: readonly (readonly [report: string, what: string, test: string])[] = [
  ['bpampuch/pdfmake#961', 'a PDF whose table cell is higher than a page', 'apps/perception-worker/src/report/pdf/pages.long.test.ts'],
  ['tensorbee/rdocx#14', 'characters that no font of a report has', 'apps/perception-worker/src/report/fonts/typeset.test.ts'],
  [
    'own',
    'text of twenty scripts, long words and links in every format of a report',
    'apps/perception-worker/src/report/lossless.long.test.ts',
  ],
  ['commonmark/commonmark-spec#650', 'emphasis beside Chinese signs', 'apps/perception-worker/src/report/markdown.test.ts'],
  ['Mintplex-Labs/anything-llm#5760', 'control characters in DOCX', 'apps/perception-worker/src/report/docx.test.ts'],
  ['mckaywrigley/chatbot-ui#1694', 'a long message, then a follow-up', 'apps/agent-worker/src/agent/messages.test.ts'],
  ['Agenta-AI/agenta#7046', 'files in messages of a chat', 'apps/gateway/src/doors/chat/chat-request.test.ts'],
  ['bytedance/deer-flow#2062', 'reasoning of local models', 'apps/agent-worker/src/model/reasoning-filter.test.ts'],
  ['sigoden/aichat#1217', 'calls of models with empty arguments, ids and indexes', 'test/e2e/scenarios/chat-providers.long.test.ts'],
  ['chatmcp#120', 'a model that calls tools for ever', 'apps/agent-worker/src/agent/core-agent.test.ts'],
  ['vercel/ai#8043', 'the chat transport of AI SDK 5, 6 and 7', 'test/e2e/scenarios/ai-sdk.long.test.ts'],
  ['paradedb/paradedb#3758', 'traditional characters found by simplified ones', 'libs/retrieval/src/text/chinese.test.ts'],
  ['dotCMS/core#36508', "Excel's last rows, byte order marks, line breaks in cells", 'apps/cli/src/profiles/read-rows.test.ts'],
  ['Brhiza/mingyu#118', 'a birth at a time that no clock showed', 'apps/agent-worker/src/charts/charts.test.ts'],
  ['zoni/obsidian-export#117', 'links of Obsidian', 'apps/memotree-worker/src/markdown/wiki-links.test.ts'],
  ['taskforcesh/bullmq#1337', 'idempotency keys with colons and signs', 'test/e2e/scenarios/idempotency.test.ts'],
  [
    'anthropics/claude-code#32662',
    'arguments that are text, null or absent',
    'apps/gateway/src/doors/mcp/client-liberties.integration.test.ts',
  ],
  ['brendanlong/lion-reader#978', 'where a refusal names the metadata of the resource', 'test/e2e/scenarios/mcp-oauth.test.ts'],
];
