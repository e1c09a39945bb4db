// The tools, prompts and resources that the protocol's conformance suite asks every server for, beside the product's own tools.
import { readFileSync } from 'node:fs';
import {
  completable,
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type McpServer,
  type PrimitiveSchemaDefinition,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpExtension, ToolSurface } from '../../apps/gateway/src/doors/mcp/server.js';

type Answer = CallToolResult | InputRequiredResult;
type Fixture = (context: ServerContext, input: Readonly<Record<string, unknown>>) => Answer | Promise<Answer>;

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const states = createRequestStateCodec({ key: 'a key for tests of the protocol alone' });
const capabilities = z.looseObject({
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({ elicitation: z.unknown().optional(), sampling: z.unknown().optional() }),
});

const form = (message: string, properties: Record<string, PrimitiveSchemaDefinition>, required: string[] = []): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const ask = (message: string, property: string, type: 'string' | 'boolean'): InputRequest =>
  form(message, { [property]: type === 'string' ? { type: 'string' } : { type: 'boolean' } }, [property]);
const sample = (words: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
});
const roots: InputRequest = { method: 'roots/list', params: {} };
const need = (inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

/** The state that a client sent back. Throws for one that was changed. */
async function stateOf(context: ServerContext): Promise<unknown> {
  const state = context.mcpReq.requestState();
  if (typeof state !== 'string') return undefined;
  try {
    return await states.verify(state, context);
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
  }
}

const asking =
  (requests: Record<string, InputRequest>, done: string): Fixture =>
  ({ mcpReq }) =>
    Object.keys(requests).every((key) => mcpReq.inputResponses?.[key] !== undefined)
      ? text(`${done} ${JSON.stringify(mcpReq.inputResponses)}`)
      : need(requests);

const askingWithState =
  (requests: Record<string, InputRequest>, done: string): Fixture =>
  async (context) => {
    const state = await stateOf(context);
    const answered = Object.keys(requests).every((key) => context.mcpReq.inputResponses?.[key] !== undefined);
    return answered && state !== undefined ? text(done) : need(requests, await states.mint({ round: 1 }, context));
  };

const defaults: Record<string, PrimitiveSchemaDefinition> = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
];
const choices: Record<string, PrimitiveSchemaDefinition> = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};

const fixtures: Readonly<Record<string, Fixture>> = {
  greet: (_context, { name }) => text(`Hello, ${String(name)}!`),
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      },
    ],
  }),
  test_error_handling: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const step of ['started', 'processing data', 'completed'])
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: `Tool execution ${step}` } });
    return text('Tool with logging executed successfully');
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
      });
    return text(String(progressToken));
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'for those who asked for it');
    return text('logged');
  },
  test_sampling: (context, { prompt }) => asking({ response: sample(String(prompt), 100) }, 'LLM response:')(context, {}),
  test_elicitation: (context, { message }) => {
    const username = { type: 'string', description: "User's response" } as const;
    const email = { type: 'string', description: "User's email address" } as const;
    return asking({ response: form(String(message), { username, email }, ['username', 'email']) }, 'User response:')(context, {});
  },
  test_elicitation_sep1034_defaults: asking({ form: form('Please check the defaults', defaults) }, 'Elicitation completed:'),
  test_elicitation_sep1330_enums: asking({ form: form('Please choose', choices) }, 'Elicitation completed:'),
  test_missing_capability: () => need({ question: sample('Who are you?', 10) }),
  test_streaming_elicitation: () => need({ user_name: ask('What is your name?', 'name', 'string') }),
  test_input_required_result_elicitation: asking({ user_name: ask('What is your name?', 'name', 'string') }, 'Hello,'),
  test_input_required_result_sampling: asking({ capital_question: sample('What is the capital of France?', 100) }, 'It says'),
  test_input_required_result_list_roots: asking({ client_roots: roots }, 'The roots are'),
  test_input_required_result_request_state: askingWithState({ confirm: ask('Please confirm', 'ok', 'boolean') }, 'state-ok'),
  test_input_required_result_tampered_state: askingWithState({ confirm: ask('Please confirm', 'ok', 'boolean') }, 'state-ok'),
  test_input_required_result_multiple_inputs: askingWithState(
    { user_name: ask('What is your name?', 'name', 'string'), greeting: sample('Generate a greeting', 50), client_roots: roots },
    'All inputs are there',
  ),
  test_input_required_result_multi_round: async (context) => {
    const state = z.object({ round: z.int() }).safeParse(await stateOf(context));
    const answers = context.mcpReq.inputResponses ?? {};
    if (state.success && state.data.round === 2 && answers['step2'] !== undefined) return text('All rounds are done');
    if (state.success && answers['step1'] !== undefined)
      return need({ step2: ask('Step 2: What is your favorite color?', 'color', 'string') }, await states.mint({ round: 2 }, context));
    return need({ step1: ask('Step 1: What is your name?', 'name', 'string') }, await states.mint({ round: 1 }, context));
  },
  test_input_required_result_capabilities: ({ mcpReq }) => {
    const declared = capabilities.safeParse(mcpReq.envelope).data?.['io.modelcontextprotocol/clientCapabilities'];
    return need({
      ...(declared?.sampling !== undefined && { question: sample('Who are you?', 10) }),
      ...(declared?.elicitation !== undefined && { name: ask('What is your name?', 'name', 'string') }),
    });
  },
};

export const mcpFixtures: McpExtension = {
  attach(mcp, { tools, notify }) {
    mcp.server.registerCapabilities({
      logging: {},
      completions: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    });
    attachTools(mcp, tools, {
      test_trigger_tool_change: () => {
        notify.toolsChanged();
        return text('The tools have changed');
      },
      test_trigger_prompt_change: () => {
        notify.promptsChanged();
        return text('The prompts have changed');
      },
    });
    attachPrompts(mcp);
    attachResources(mcp);
  },
};

/** A definition with rarely used JSON Schema keywords, which a list of tools must not lose. */
const wideSchema = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: z.looseObject({ type: z.literal('object') }).parse(JSON.parse(readFileSync('test/e2e/data/wide-schema.json', 'utf8'))),
};

function attachTools(mcp: McpServer, tools: ToolSurface, triggers: Readonly<Record<string, Fixture>>): void {
  const all = { ...fixtures, ...triggers };
  const definitions = Object.keys(all).map((name) => ({
    name,
    description: `A fixture of the conformance suite: ${name}.`,
    inputSchema: { type: 'object' as const },
  }));
  mcp.server.setRequestHandler('tools/list', () => ({ tools: [...tools.list(), ...definitions, wideSchema] }));
  mcp.server.setRequestHandler('tools/call', async (request, context) => {
    const { name } = request.params;
    const fixture = Object.entries(all).find(([key]) => key === name)?.[1];
    return fixture ? fixture(context, request.params.arguments ?? {}) : tools.call(request, context);
  });
}

function attachPrompts(mcp: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user' as const, content });
  const said = (words: string) => user({ type: 'text' as const, text: words });
  const words = z.string().describe('Words for the prompt.');
  mcp.registerPrompt('test_simple_prompt', { description: 'A simple prompt.' }, () => ({
    messages: [said('This is a simple prompt for testing.')],
  }));
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with arguments.',
      argsSchema: z.object({
        arg1: completable(words, (value) => ['paris', 'park', 'party'].filter((one) => one.startsWith(value))),
        arg2: words,
      }),
    },
    ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource in it.', argsSchema: z.object({ resourceUri: words }) },
    ({ resourceUri }) => ({
      messages: [
        user({
          type: 'resource' as const,
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        said('Please process the embedded resource above.'),
      ],
    }),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image in it.' }, () => ({
    messages: [user({ type: 'image' as const, data: png, mimeType: 'image/png' }), said('Please analyze the image above.')],
  }));
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks back.' }, ({ mcpReq }) =>
    mcpReq.inputResponses?.['user_context'] === undefined
      ? need({ user_context: ask('What context should the prompt use?', 'context', 'string') })
      : { messages: [said(JSON.stringify(mcpReq.inputResponses['user_context']))] },
  );
}

function attachResources(mcp: McpServer): void {
  mcp.registerResource('Static text', 'test://static-text', { description: 'Text.', mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  mcp.registerResource('Static binary', 'test://static-binary', { description: 'An image.', mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: png }],
  }));
  mcp.registerResource('Watched', 'test://watched-resource', { description: 'Text.', mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Watched resource content' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  mcp.registerResource('Template', template, { description: 'Data by id.', mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [
      { uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) },
    ],
  }));
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
