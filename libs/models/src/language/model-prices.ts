import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { z } from 'zod';
import { fitsPattern, mostCostMicros } from '#lib/contracts';
import { jsonSetting } from '#lib/platform';

/** Millionths of a US dollar for a million tokens. */
const rate = z.int().min(0).max(10_000_000_000);
const price = z.strictObject({
  input_micros_per_million: rate,
  output_micros_per_million: rate,
  /** For input that the provider had in its cache. Default: as other input. */
  cached_input_micros_per_million: rate.optional(),
});
const table = z.record(z.string().min(1).max(200), price);

export type ModelPrices = z.infer<typeof table>;

/** The setting: a JSON object of prices by the name of a model, in which `*` stands for any text. The first name that fits counts. */
export const modelPrices = jsonSetting(table, '{ "<model>": { "input_micros_per_million": …, "output_micros_per_million": … } }');

/** What calls of a model cost, in millionths of a US dollar, rounded up. Null where the table says nothing of it. @param names of the model, any of which may be in the table */
export function priceOf(prices: ModelPrices, names: readonly string[]): ((usage: LanguageModelV4Usage) => number) | null {
  const found = Object.entries(prices).find(([pattern]) => names.some((name) => fitsPattern(pattern, name)))?.[1];
  if (!found) return null;
  const { input_micros_per_million: input, output_micros_per_million: output, cached_input_micros_per_million: cached = input } = found;
  return ({ inputTokens, outputTokens }) => {
    const all = tokensIn(inputTokens.total);
    const known = Math.min(all, tokensIn(inputTokens.cacheRead));
    const micros = ((all - known) * input + known * cached + tokensIn(outputTokens.total) * output) / 1_000_000;
    return Math.min(mostCostMicros, Math.ceil(micros));
  };
}

/** What a provider says need not be a number of tokens. */
function tokensIn(told: number | undefined): number {
  return told !== undefined && Number.isFinite(told) && told > 0 ? told : 0;
}
