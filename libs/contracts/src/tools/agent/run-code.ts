import { z } from 'zod';
import { mostCodeCharacters, mostCodeMs } from '../../code-limits.js';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';

/** Code mode: many calls and what happens between them, in one call. */
export const runCode = defineTool({
  name: 'run_code',
  version: '1.1.0',
  changelog: { '1.0.0': 'First version.', '1.1.0': 'tools.$search finds tools by words.' },
  title: 'Run code that calls tools',
  description:
    "Run JavaScript that calls tools, for work that takes several calls or that keeps large results out of the conversation. The code is the body of an async function. Each tool that you may use is a function there, with the tool's parameters and result: const me = await tools.calc_metrics({...}); return me.bmi. Object.keys(tools) has their names, await tools.$search('what you want to do') gives those that fit best as tools: [{ name, description, parameters }], await tools.$describe('name') the parameters of one. Calls run together with Promise.all. A call that fails throws an error with code, message and retryable. A tool that changes something waits until a person approves the call. Return JSON; console.log lines are kept. There is no network, file, import, timer or state between runs. Await every call.",
  zh: {
    title: '运行调用工具的代码',
    description:
      '运行调用工具的 JavaScript，适合需要多次调用、或不想把大量结果放进对话的工作。代码是一个异步函数的函数体；您可使用的每个工具在其中都是函数，参数和结果与工具相同。',
  },
  domain: 'agent',
  setting: 'CODE_MODE',
  effect: 'read',
  idempotent: false,
  input: z.strictObject({
    code: sensitive(z.string().min(1).max(mostCodeCharacters)).describe(
      'The body of an async function in JavaScript. tools and console are there.',
    ),
    timeout_ms: z
      .int()
      .min(100)
      .max(mostCodeMs)
      .default(60_000)
      .describe('The longest that it may take, 100–120000, without the time in which it waits for people.'),
  }),
  output: z.strictObject({
    result: sensitive(z.unknown()).describe('What the code returned, or null.'),
    logs: sensitive(z.array(z.string())).describe('The lines that it printed.'),
    calls: z.int().describe('How many calls it made.'),
  }),
  errors: {
    SYNTAX_ERROR: 'INVALID_PARAMS',
    CODE_THREW: 'INVALID_PARAMS',
    NOT_JSON: 'INVALID_PARAMS',
    NEVER_ENDS: 'INVALID_PARAMS',
    TOO_DEEP: 'INVALID_PARAMS',
    TOO_MANY_CALLS: 'INVALID_PARAMS',
    OUT_OF_MEMORY: 'INVALID_PARAMS',
    RESULT_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
    RUNS_TOO_LONG: 'INVALID_PARAMS',
    OUT_OF_TIME: 'TIMEOUT',
    CODE_IN_CODE: 'PERMISSION_DENIED',
  },
  timeoutMs: mostCodeMs + 10_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: { input: 300, output: { min: 20, typical: 200, max: 300_000 } },
  examples: [
    {
      input: {
        code: "const bodies = [[80, 178], [65, 168]];\nconst all = await Promise.all(bodies.map(([weight_kg, height_cm]) =>\n  tools.calc_metrics({ weight_kg, height_cm, age: 30, gender: 'male', activity_level: 'moderate' })));\nreturn all.map(({ bmi }) => bmi);",
      },
      output: { result: [25.25, 23.03], logs: [], calls: 2 },
    },
  ],
});
