import { phaseOf, type Caller, type Catalog, type ToolContract, type Toolset } from '#lib/contracts';
import type { CallHead } from '#lib/transport';
import { emptyToolset } from '../rules/toolset-directory.js';
import { findTool, internalTool, resolveTool } from './resolve.js';

const shownCharacters = 64;

type FindToolset = (tenantId: string, name: string) => Toolset;

/** The tools of the catalog as they stand on one day: what may be called, listed and offered to a model. */
export class ToolDirectory {
  readonly catalog: Catalog;
  readonly #clock: () => Date;
  readonly #setOf: FindToolset;

  /**
   * @param clock the day by which life cycles are judged
   * @param setOf finds a named set of a tenant
   */
  constructor(catalog: Catalog, clock: () => Date, setOf: FindToolset = () => emptyToolset) {
    this.catalog = catalog;
    this.#clock = clock;
    this.#setOf = setOf;
  }

  /**
   * The tools as a caller sees them: those that other tenants serve are none, and no others than those that its credential, or the set that it
   * asks for, is for. Throws NETWORK_ERROR while sets have not been read.
   */
  of({ tenantId, tools, toolset }: Pick<Caller, 'tenantId' | 'tools' | 'toolset'>): ToolDirectory {
    const seen = new ToolDirectory(this.catalog.seenBy(tenantId).narrowedTo(tools), this.#clock, this.#setOf);
    return toolset === undefined ? seen : seen.within(this.#setOf(tenantId, toolset));
  }

  /** Those of a set alone, under its names. */
  within(set: Toolset): ToolDirectory {
    return new ToolDirectory(this.catalog.within(set), this.#clock, this.#setOf);
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

  /** The contract that serves a call: the tool itself, whatever a set calls it. Throws TOOL_NOT_FOUND, INVALID_PARAMS, TOOL_DEPRECATED or CONFLICT, see `resolveTool`. */
  resolve(asked: string): ToolContract {
    const contract = resolveTool(this.catalog, asked, this.today);
    return contract.renames ?? contract;
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
  contractOf(call: Pick<CallHead, 'tool' | 'version' | 'caller'>): ToolContract | undefined {
    return this.catalog.contractOf(call);
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
