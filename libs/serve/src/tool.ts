import { z } from 'zod';
import { isJsonObject, ownProperties } from '#lib/contracts';
import type { OwnToolContext, RefuseWith } from '#lib/handlers';
import { withFilesSent } from './file.js';
import { servedName, type OwnContract, type Tool } from './own-contract.js';

/** The short form of a contract: what it does not say has a default. */
export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodType, Literal extends string> extends Partial<
  Omit<OwnContract<Input, Output, Literal>, 'input' | 'output' | 'description' | 'errors'>
> {
  /** Default: that of its file, `count-words.ts` is `count_words`. Where a file exports several tools, what each is exported as. */
  readonly name?: string;
  /** Default: its name in words. */
  readonly title?: string;
  /** First one sentence on the purpose, then the limits. Models choose tools by this text. */
  readonly description: string;
  /** An object. Unknown parameters are refused. */
  readonly input: Input;
  /** Default: any JSON. What is no object is answered as `{ result: … }`. */
  readonly output?: Output;
  /** What the tool may refuse with by `throw error(…)`, each with its public code. Default: nothing. */
  readonly errors?: OwnContract<Input, Output, Literal>['errors'];
}

/**
 * A tool in its short form: `tool({ description, input }, async (input, context) => …)`. What the function gives is the answer, and what it
 * throws is the failure of the tool. The default of `effect` is `write`, which is safe: say `read` where nothing is changed, and results can
 * be cached and calls are made by GET. Others: version 0.1.0, domain `tools`, 30 s for an attempt, no retries.
 */
export function tool<Input extends z.ZodObject, Output extends z.ZodType = z.ZodType, const Literal extends string = never>(
  spec: ToolSpec<Input, Output, Literal>,
  implementation: (input: z.output<Input>, context: OwnToolContext & RefuseWith<Literal>) => Promise<z.input<Output>> | z.input<Output>,
): Tool {
  const { name = '', title = titleOf(name), output, errors, input, domain = 'tools', ...given } = spec;
  const strict = strictOf(input);
  const answer = (data: unknown): unknown => (output || isJsonObject(data) ? data : { result: data ?? null });
  return {
    contract: {
      version: '0.1.0',
      effect: 'write',
      timeoutMs: 30_000,
      estimatedTokens: 500,
      examples: [],
      ...given,
      name,
      title,
      domain: servedName(domain),
      errors: errors ?? {},
      input: strict,
      output: output ?? z.looseObject({}),
    },
    run: async (data, context) =>
      answer(
        await withFilesSent(
          await implementation(strict.parse(ownProperties(strict, data)), { ...context, error: context.refusal }),
          context.sendFile,
        ),
      ),
  };
}

function strictOf<Input extends z.ZodObject>(input: Input): Input;
function strictOf(input: z.ZodObject): z.ZodObject {
  return input.strict();
}

/** A tool under the name that its file gives it. */
export function named({ contract, run }: Tool, name: string): Tool {
  const { title } = contract;
  return { contract: { ...contract, name, title: title === '' ? titleOf(name) : title }, run };
}

/** `count_words` is `Count words`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
