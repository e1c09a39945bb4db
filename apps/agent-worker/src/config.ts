import { z } from 'zod';
import { resultCharacters } from '#lib/contracts';
import { languageModelSettings, modelPrices } from '#lib/models';
import { workerSettings } from '#lib/platform';
import { quotaSettings } from '#lib/transport';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Settings of the agent. */
export const agentSettings = {
  ...workerSettings,
  ...quotaSettings,
  /** Address of the gateway, where tools are called in the name of the user. */
  INVOQ_URL: z.url(),
  ...languageModelSettings,
  /** `auto`, `required` (the first call of a turn must call a tool) or `name:<tool>`. */
  MODEL_TOOL_CHOICE: z
    .string()
    .regex(/^(auto|required|name:[a-z][a-z0-9_]{0,63})$/, 'must be auto, required or name:<tool>')
    .default('auto'),
  /** Whether the model may call several tools at once. */
  MODEL_PARALLEL_TOOL_CALLS: flag.default(true),
  /** The longest that a model may send nothing, ms. */
  MODEL_TIMEOUT_MS: z.coerce.number().int().min(100).max(280_000).default(60_000),
  /** The longest that a turn waits for one tool, ms. The tool's own limit, with all retries, may be longer. */
  TOOL_TIMEOUT_MS: z.coerce.number().int().min(100).max(280_000).default(60_000),
  /** Characters of a tool's result that the model reads; the whole is read in parts. */
  RESULT_CHARACTERS: resultCharacters,
  MODEL_MAX_OUTPUT_TOKENS: z.coerce.number().int().min(1).max(200_000).default(4_096),
  /** Whether the text of the model begins inside of its reasoning and ends it with `</think>`, as some local models do. */
  MODEL_STARTS_IN_REASONING: flag.default(false),
  /** The most tokens of earlier turns in a prompt, estimated. */
  HISTORY_TOKENS: z.coerce.number().int().min(0).max(1_000_000).default(8_000),
  /** Days after which a conversation is deleted that nobody has written to. Kept for ever when it is not set. */
  CONVERSATION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  /** What tokens of models cost: they are a part of what turns cost. JSON, as `model-prices.ts` explains it. */
  MODEL_PRICES: modelPrices,
  /** The folder of skills, `<skill>/SKILL.md`. */
  SKILLS_DIR: z.string().default('skills'),
} as const;

export type AgentSettings = z.output<z.ZodObject<typeof agentSettings>>;
