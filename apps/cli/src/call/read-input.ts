import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { callerFolder, UsageError } from '#lib/command-line';

const standardInput = 0;

/** The JSON object of a file, or of standard input for `-`; `{}` when no source is given. Throws UsageError. */
export function readInput(source: string | undefined): Readonly<Record<string, unknown>> {
  if (source === undefined) return {};
  const parsed = parse(source);
  // As `isJsonObject` has it: a call from the command line does not load the contracts.
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw new UsageError(`--input ${source} must hold a JSON object`);
}

function parse(source: string): unknown {
  try {
    return JSON.parse(readFileSync(source === '-' ? standardInput : resolve(callerFolder(), source), 'utf8'));
  } catch (error) {
    throw new UsageError(`--input ${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
