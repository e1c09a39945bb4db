// Time limits that a source document gives as a range are moved by settings, the same for every process that knows the tool.
import { z } from 'zod';
import type { ToolContract } from '../define-tool.js';

/** A setting for each range, in whole milliseconds. */
export function timeoutSettings(contracts: readonly ToolContract[]): Record<string, z.ZodOptional<z.ZodCoercedNumber>> {
  const settings = contracts.flatMap(({ timeoutSetting }) => timeoutSetting ?? []);
  return Object.fromEntries(settings.map(({ name, min, max }) => [name, z.coerce.number().int().min(min).max(max).optional()]));
}

/** The contracts with the limits that the settings give. */
export function withTimeouts(
  contracts: readonly ToolContract[],
  settings: Readonly<Record<string, number | undefined>>,
): readonly ToolContract[] {
  return contracts.map((contract) => {
    const timeoutMs = contract.timeoutSetting && settings[contract.timeoutSetting.name];
    return timeoutMs === undefined ? contract : { ...contract, timeoutMs };
  });
}
