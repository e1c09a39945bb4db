import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { callerFolder, CommandError } from '#lib/command-line';

/**
 * The folder with the user's own tools: that of TOOLS_DIR, else `tools` where the command was typed; null where there is none.
 * Throws CommandError where TOOLS_DIR names none.
 */
export function toolsFolder(): string | null {
  const named = process.env['TOOLS_DIR'];
  const folder = named ? resolve(callerFolder(), named) : join(callerFolder(), 'tools');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  if (named) throw new CommandError(`there is no folder ${folder}, which TOOLS_DIR (or --tools) names`);
  return null;
}
