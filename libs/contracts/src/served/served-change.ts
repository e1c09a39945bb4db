// Whether a version of a served tool may stand beside those that were published.
import { compareContracts, type ContractShape } from '../derive/compatibility.js';
import { canonicalJson } from '../derive/invocation-key.js';
import { compareVersions } from '../versions.js';

/** How many changes a sentence names. */
const shownChanges = 10;

/**
 * Why a contract may not be published, in one sentence with what to do; null when it may.
 * @param published every version of the tool that was published, this one included where it was
 */
export function refusedChange(now: ContractShape, published: readonly ContractShape[]): string | null {
  const title = `${now.name} ${now.version}`;
  const same = published.find(({ version }) => version === now.version);
  if (same) {
    if (inOneOrder(same) === inOneOrder(now)) return null;
    const changes = compareContracts(same, now).map(({ message }) => message);
    return `${title} is not what was published under that version${listed(changes)}: give it a new version`;
  }
  const earlier = published.filter(({ version }) => compareVersions(version, now.version) < 0);
  const latest = earlier.toSorted((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (!latest || majorOf(latest) !== majorOf(now)) return null;
  const breaking = compareContracts(latest, now).filter((change) => change.breaking);
  if (breaking.length === 0) return null;
  return `${title} breaks callers of ${latest.version}${listed(breaking.map(({ message }) => message))}: it needs a new major version`;
}

/** Whether a published version has the same major number: then callers of it get this one by the range that they name. */
export function continuesMajor(now: Pick<ContractShape, 'version'>, published: readonly Pick<ContractShape, 'version'>[]): boolean {
  return published.some((one) => majorOf(one) === majorOf(now));
}

/** The names of `required` stand in the order of the properties, which the database changes. */
function inOneOrder(shape: ContractShape): string {
  return canonicalJson(
    JSON.parse(
      JSON.stringify(shape, (key, value: unknown) => (key === 'required' && Array.isArray(value) ? value.map(String).toSorted() : value)),
    ),
  );
}

function listed(messages: readonly string[]): string {
  if (messages.length === 0) return '';
  const more = messages.length > shownChanges ? `; ${messages.length - shownChanges} more` : '';
  return ` (${messages.slice(0, shownChanges).join('; ')}${more})`;
}

function majorOf({ version }: Pick<ContractShape, 'version'>): string {
  return version.split('.', 1)[0] ?? '';
}
