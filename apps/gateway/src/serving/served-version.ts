import { servedContract, servedDomainName, servedTool, ServedToolError, withRetryBase, type ToolContract } from '#lib/contracts';
import { ServedPresence, type ServedName } from '#lib/transport';
import { fingerprintOf, type ServedRow } from './served-row.js';

export type ApprovedRow = Pick<ServedRow, 'tenantId' | 'domain' | 'name' | 'version' | 'fingerprint' | 'contract'>;

interface Built {
  readonly contract: ToolContract;
  /** The same while no worker serves it. */
  readonly away: ToolContract;
}

/** An approved version of a tool. Its contract is made when somebody asks for it, and kept: what is made of it is kept with it. */
export class ApprovedVersion {
  readonly tenantId: string;
  readonly served: ServedName;
  /** Of what the worker announced. */
  readonly announced: string;
  readonly #domain: string;
  /** As JSON: of the contracts of tenants that nobody calls there are only letters. */
  readonly #text: string;
  readonly #retryBaseMs: number;
  #built: Built | null | undefined;

  /** @param retryBaseMs before the first retry of a call */
  constructor(row: ApprovedRow, retryBaseMs: number) {
    const { tenantId, domain, contract } = row;
    this.tenantId = tenantId;
    this.#domain = domain;
    this.served = servedIn(row);
    this.announced = fingerprintOf(row);
    this.#text = JSON.stringify(contract);
    this.#retryBaseMs = retryBaseMs;
  }

  /** By which `ServedPresence` knows it. */
  get field(): string {
    return ServedPresence.fieldOf(this.served);
  }

  static fieldOf(row: StoredName): string {
    return ServedPresence.fieldOf(servedIn(row));
  }

  get isBuilt(): boolean {
    return this.#built !== undefined;
  }

  /** Null for a version that an older gateway took and this one does not. */
  get built(): Built | null {
    if (this.#built === undefined) this.#built = this.#build();
    return this.#built;
  }

  #build(): Built | null {
    const tool = servedTool.safeParse(JSON.parse(this.#text));
    if (!tool.success) return null;
    try {
      const contract = withRetryBase(servedContract({ tenant: this.tenantId, domain: this.#domain }, tool.data), this.#retryBaseMs);
      return { contract, away: { ...contract, away: true } };
    } catch (error) {
      if (error instanceof ServedToolError) return null;
      throw error;
    }
  }
}

type StoredName = Pick<ServedRow, 'tenantId' | 'domain' | 'name' | 'version'>;

function servedIn({ tenantId, domain, name, version }: StoredName): ServedName {
  return { queue: servedDomainName({ tenant: tenantId, domain }), name, version };
}
