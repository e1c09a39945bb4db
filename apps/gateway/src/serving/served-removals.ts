import { servedTool, substanceOf } from '#lib/contracts';
import type { Prisma } from '#lib/platform';

/** Of the contract of a stored version; empty for one that an older gateway took and this one does not. */
export function substanceIn(contract: unknown): string {
  const tool = servedTool.safeParse(contract);
  return tool.success ? substanceOf(tool.data) : '';
}

interface Wanted {
  readonly tenantId: string;
  readonly name: string;
  readonly version: string;
  readonly substance: string;
}

/** Why a person has to approve it whoever announces it: it was removed, under this number or another. Null where it was not. */
export async function removalOf(
  transaction: Prisma.TransactionClient,
  { tenantId, name, version, substance }: Wanted,
): Promise<string | null> {
  const removal = await transaction.servedRemoval.findFirst({ where: { tenantId, name, OR: [{ version }, { substance }] } });
  return removal && `${name} ${removal.version} was removed: an administrator has to approve it again`;
}
