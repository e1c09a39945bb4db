import { closest, distance } from 'fastest-levenshtein';
import { maxSatisfying, validRange } from 'semver';
import { phaseOf, Refusal, type Catalog, type ToolContract } from '#lib/contracts';

/** When a caller may ask again for a tool that no worker serves, in ms. */
const awayRetryMs = 5_000;

/**
 * Name, alias or `name@range` → the contract that serves it.
 * Throws TOOL_NOT_FOUND with the nearest names, INVALID_PARAMS for a range that is none, TOOL_DEPRECATED (TU-73),
 * CONFLICT for a suspended tool, NETWORK_ERROR for one that no worker serves at the moment.
 */
export function resolveTool(catalog: Catalog, asked: string, now: Date): ToolContract {
  const contract = findTool(catalog, asked);
  if (contract.away)
    throw new Refusal('NETWORK_ERROR', `No worker serves '${contract.name}' ${contract.version} at the moment`, {
      retry_after_ms: awayRetryMs,
    });
  if (contract.suspended) throw new Refusal('CONFLICT', `Tool '${contract.name}' is suspended: ${contract.suspended}`);
  if (phaseOf(contract, now) !== 'deprecated') return contract;
  const { replacement, sunsetDate, migrationGuide } = contract;
  throw new Refusal('TOOL_DEPRECATED', `Tool '${contract.name}' is deprecated${replacement ? `; use '${replacement}'` : ''}`, {
    extra: { replacement: replacement ?? null, sunset_date: sunsetDate ?? null, migration_guide: migrationGuide ?? null },
  });
}

/** The same without its life cycle: what a definition is asked for by. */
export function findTool(catalog: Catalog, asked: string): ToolContract {
  const at = asked.indexOf('@');
  const name = at < 0 ? asked : asked.slice(0, at);
  const range = at < 0 ? null : asked.slice(at + 1);
  const bare = catalog.find(name);
  if (!bare || bare.internal) throw notFound(catalog, name);
  if (range === null) return bare;
  // An empty range would fit every version.
  if (range === '' || validRange(range) === null)
    throw new Refusal(
      'INVALID_PARAMS',
      `'${range.slice(0, 40)}' is not a version range; write ${name}@${bare.version} or ${name}@^${bare.version}`,
    );
  const versions = catalog.versions(name).map(({ version }) => version);
  const fitting = maxSatisfying(versions, range);
  const contract = fitting === null ? undefined : catalog.find(name, fitting);
  if (contract) return contract;
  const known = versions.length === 1 ? `the version ${versions[0]}` : `the versions ${versions.join(', ')}`;
  throw new Refusal('TOOL_NOT_FOUND', `Tool '${name}' has ${known}, none that fits '${range.slice(0, 40)}'`);
}

/** What only the product's own doors may ask for. */
export function internalTool(catalog: Catalog, name: string): ToolContract {
  const contract = catalog.find(name);
  if (!contract?.internal) throw notFound(catalog, name);
  return contract;
}

function notFound(catalog: Catalog, name: string): Refusal {
  const shown = name.slice(0, 64);
  const domain = catalog.unservedDomain(name);
  if (domain)
    return new Refusal(
      'TOOL_NOT_FOUND',
      `Tool '${shown}' belongs to the domain '${domain}', which this installation does not serve (setting DOMAINS)`,
      {
        extra: { nearest: [] },
      },
    );
  const setting = catalog.offBy(name);
  if (setting !== undefined)
    return new Refusal('TOOL_NOT_FOUND', `Tool '${shown}' is off in this installation; the setting ${setting}=on turns it on`, {
      extra: { nearest: [] },
    });
  // Names have small letters.
  const asked = shown.toLowerCase();
  const nearest = catalog.names().length > 0 ? closest(asked, [...catalog.names()]) : '';
  const near = nearest && distance(asked, nearest) <= Math.max(3, shown.length / 2) ? nearest : null;
  return new Refusal('TOOL_NOT_FOUND', `Tool '${shown}' not found${near ? `; did you mean '${near}'?` : ''}`, {
    extra: { nearest: near ? [near] : [] },
  });
}
