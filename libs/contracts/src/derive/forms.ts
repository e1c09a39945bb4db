import type { ToolContract } from '../define-tool.js';
import type { Language } from '../language.js';
import { toAnthropic } from './anthropic.js';
import { toDefinition } from './definition.js';
import { toMcp } from './mcp.js';
import { toOpenAi } from './openai.js';

/** The formats in which `GET /tools?format=…` serves definitions (TU-83…88). */
export const toolForms = {
  native: toDefinition,
  openai: toOpenAi,
  anthropic: toAnthropic,
  mcp: toMcp,
} as const satisfies Record<string, (contract: ToolContract, language?: Language) => object>;

export type ToolForm = keyof typeof toolForms;

export function isToolForm(name: unknown): name is ToolForm {
  return typeof name === 'string' && Object.hasOwn(toolForms, name);
}
