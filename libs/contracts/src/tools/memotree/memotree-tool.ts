import type { z } from 'zod';
import { defineTool, type DefinedTool, type ToolContract } from '../../define-tool.js';
import type { ErrorCode } from '../../errors.js';

/** The literals with which any MemoTree operation may refuse (MT-15). The others of the closed list come from the pipeline and from failures. */
const errors = {
  INVALID_PARAMS: 'INVALID_PARAMS',
  NODE_NOT_FOUND: 'RESOURCE_NOT_FOUND',
  PARENT_NOT_FOUND: 'RESOURCE_NOT_FOUND',
  TAG_NAME_REQUIRED: 'INVALID_PARAMS',
  TAG_ALREADY_EXISTS: 'CONFLICT',
  CONFLICT: 'CONFLICT',
  PERMISSION_DENIED: 'PERMISSION_DENIED',
} as const satisfies Record<string, ErrorCode>;

export type MemotreeLiteral = keyof typeof errors;

type Given<Input extends z.ZodObject<z.ZodRawShape, z.core.$strict>, Output extends z.ZodType, Name extends string> = Pick<
  DefinedTool<Input, Output, MemotreeLiteral, Name>,
  'name' | 'title' | 'description' | 'zh' | 'input' | 'output' | 'effect' | 'examples' | 'estimatedTokens'
> &
  Partial<Pick<ToolContract<Input, Output>, 'timeoutMs' | 'maxInputBytes' | 'streaming'>>;

/** Declares a MemoTree operation, with everything that all of them share. */
export function memotreeTool<Input extends z.ZodObject<z.ZodRawShape, z.core.$strict>, Output extends z.ZodType, const Name extends string>(
  given: Given<Input, Output, Name>,
): DefinedTool<Input, Output, MemotreeLiteral, Name> {
  const pascal = given.name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return defineTool({
    version: '1.0.0',
    changelog: { '1.0.0': 'First version.' },
    domain: 'memotree',
    source: 'memotree',
    aliases: [pascal, `${pascal}Async`],
    anyCase: true,
    errors,
    nativeCodes: { INVALID_PARAMS: 'INVALID_PARAMS', PERMISSION_DENIED: 'PERMISSION_DENIED' },
    failures: {
      network: 'STORAGE_ERROR',
      timeout: 'TIMEOUT',
      'rate-limit': 'STORAGE_ERROR',
      service: 'STORAGE_ERROR',
      internal: 'EXECUTION_ERROR',
    },
    timeoutMs: 20_000,
    retry: { network: { times: 3, baseMs: 200 }, timeout: { times: 1, baseMs: 200 } },
    ...given,
  });
}
