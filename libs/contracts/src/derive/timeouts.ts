// Where a source document gives a range for a time limit, a setting chooses the limit. Every process that knows the tool reads it.
import { z } from 'zod';
import type { ToolContract } from '../define-tool.js';

/** One setting for each range, in whole milliseconds. */
export function timeoutSettings(contracts: readonly ToolContract[]): Record<string, z.ZodOptional<z.ZodCoercedNumber>> {
  const settings = contracts.flatMap(({ timeoutSetting }) => timeoutSetting ?? []);
  return Object.fromEntries(settings.map(({ name, min, max }) => [name, z.coerce.number().int().min(min).max(max).optional()]));
}

/** The contracts with the time limits that the settings choose. */
export function withTimeouts(
  contracts: readonly ToolContract[],
  settings: Readonly<Record<string, number | undefined>>,
): readonly ToolContract[] {
  return contracts.map((contract) => {
    const timeoutMs = contract.timeoutSetting && settings[contract.timeoutSetting.name];
    return timeoutMs === undefined ? contract : { ...contract, timeoutMs };
  });
}
