import { phaseOf, type Caller, type Catalog, type ToolContract } from '#lib/contracts';
import type { InvocationHead } from '#lib/transport';
import { findTool, internalTool, resolveTool } from './resolve.js';

/** The catalog as a caller sees it. */
export function catalogOf(catalog: Catalog, { tenantId, tools }: Pick<Caller, 'tenantId' | 'tools'>): Catalog {
  return catalog.seenBy(tenantId).narrowedTo(tools);
}

const shownCharacters = 64;

/** The tools of the catalog as they stand on one day: what may be called, listed and offered to a model. */
export class ToolDirectory {
  readonly catalog: Catalog;
  readonly #clock: () => Date;

  /** @param clock the day by which life cycles are judged */
  constructor(catalog: Catalog, clock: () => Date) {
    this.catalog = catalog;
    this.#clock = clock;
  }

  /** The tools as a caller sees them: those that other tenants serve are none, and no others than those that its credential is for. */
  of(caller: Pick<Caller, 'tenantId' | 'tools'>): ToolDirectory {
    return new ToolDirectory(catalogOf(this.catalog, caller), this.#clock);
  }

  get today(): Date {
    return this.#clock();
  }

  /** The tools that people and programs see, those at the end of their life included. */
  get listed(): readonly ToolContract[] {
    return this.catalog.listed;
  }

  /** The tools that a model is offered: a tool that would only be refused is left out. */
  get offered(): readonly ToolContract[] {
    return this.catalog.offered(this.today);
  }

  /** The contract that serves a call. Throws TOOL_NOT_FOUND, INVALID_PARAMS, TOOL_DEPRECATED or CONFLICT, see `resolveTool`. */
  resolve(asked: string): ToolContract {
    return resolveTool(this.catalog, asked, this.today);
  }

  /** The contract of an internal tool, for the one door that serves it. Throws TOOL_NOT_FOUND. */
  internal(name: string): ToolContract {
    return internalTool(this.catalog, name);
  }

  /** The definition of a tool, whatever its phase. Throws TOOL_NOT_FOUND or INVALID_PARAMS. */
  find(asked: string): ToolContract {
    return findTool(this.catalog, asked);
  }

  /** The contract by name or alias, without its version range; undefined when there is none. */
  named(asked: string): ToolContract | undefined {
    return this.catalog.find(asked.split('@')[0] ?? '');
  }

  /** The tool's own name; for an unknown tool at most 64 characters of what was asked for. */
  nameOf(asked: string): string {
    return this.named(asked)?.name ?? asked.slice(0, shownCharacters);
  }

  /** The contract of a recorded call. Its version may have been removed since: then the tool's current one. */
  contractOf({ tool, version, caller }: Pick<InvocationHead, 'tool' | 'version' | 'caller'>): ToolContract | undefined {
    const catalog = this.catalog.seenBy(caller.tenantId);
    return catalog.find(tool, version) ?? catalog.find(tool);
  }

  /** Headers that announce a tool's end (RFC 9745, RFC 8594, C-31). Empty for a tool without an announced end. */
  lifecycleHeaders(contract: ToolContract): Readonly<Record<string, string>> {
    if (phaseOf(contract, this.today) !== 'sunset-announced' || !contract.sunsetDate) return {};
    const sunset = new Date(contract.sunsetDate);
    return {
      deprecation: `@${Math.floor(sunset.getTime() / 1_000)}`,
      sunset: sunset.toUTCString(),
      ...(contract.replacement && { link: `</tools/${contract.replacement}>; rel="successor-version"` }),
    };
  }
}
