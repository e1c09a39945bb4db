import { existsSync } from 'node:fs';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import type { Logger } from '#lib/platform';
import type { McpExtension } from './server.js';

/**
 * The skills of a folder as resources `skill://<name>/SKILL.md` and through `skills/list` and `skills/get` (SEP-2640).
 * None when there is no such folder; a skill that breaks the format is left out and named in the log.
 */
export async function skillsIn(folder: string, log: Logger): Promise<readonly McpExtension[]> {
  if (!existsSync(folder)) return [];
  const onWarning = ({ path, message }: { path: string; message: string }) =>
    log.warn({ event: 'skill-fault', path, reason: message }, 'a skill is not served as it is');
  return [await loadSkills(folder, { onWarning, cacheHint: { ttlMs: 60_000, cacheScope: 'private' } })];
}
