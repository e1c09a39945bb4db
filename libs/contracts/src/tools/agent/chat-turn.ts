import { z } from 'zod';
import { finishReasons } from '../../agent/agent-output.js';
import { chatDialects } from '../../agent/chat-mode.js';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';

/** One message of a user with its complete answer. It runs as a job like any tool, and only the chat routes call it. */
export const chatTurn = defineTool({
  internal: true,
  name: 'chat_turn',
  version: '1.1.0',
  changelog: { '1.1.0': 'A turn is told when its conversation begins with it.', '1.0.0': 'First version.' },
  title: 'Chat turn',
  description: 'Answer one message of a conversation: the model is called, its tool calls are run as the user, until it has answered.',
  zh: {
    title: '对话轮次',
    description: '回答对话中的一条消息：调用模型，并以用户身份执行它所要的工具，直到模型给出回答。',
  },
  domain: 'agent',
  effect: 'read',
  idempotent: false,
  input: z.strictObject({
    conversation_id: z.guid().describe('The conversation that the message belongs to.'),
    message: sensitive(z.string().min(1).max(16_000)).describe("The user's message, 1–16,000 characters."),
    mode: z.enum(['simple', 'complex', 'guest']).describe('How many calls of the model are allowed: 5, 10 or 3.'),
    begins: z.boolean().default(false).describe('Whether the conversation begins with this message: there is nothing before it to read.'),
    regenerate: z.boolean().describe('Whether this answer takes the place of the last one.'),
    dialect: z.enum(chatDialects).describe('Which chunks a reader of the stream expects unless it says otherwise.'),
  }),
  output: z.strictObject({
    conversation_id: z.guid(),
    content: sensitive(z.string()),
    finish_reason: z.enum(finishReasons),
    iterations: z.int().min(1),
    usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }),
  }),
  errors: { 'agent-error': 'EXECUTION_ERROR' },
  failures: {
    network: 'internal_error',
    timeout: 'agent-error',
    'rate-limit': 'internal_error',
    service: 'internal_error',
    internal: 'internal_error',
  },
  timeoutMs: 300_000,
  estimatedTokens: { input: 200, output: { min: 200, typical: 600, max: 2400 } },
  examples: [
    {
      input: {
        conversation_id: '7f1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11',
        message: '帮我看看我的八字',
        mode: 'complex',
        begins: true,
        regenerate: false,
        dialect: 'source',
      },
      output: {
        conversation_id: '7f1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11',
        content: '请告诉我你的出生日期、时间和地点。',
        finish_reason: 'stop',
        iterations: 1,
        usage: { input_tokens: 900, output_tokens: 18 },
      },
    },
  ],
});
