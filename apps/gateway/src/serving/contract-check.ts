// What a contract of a stranger is checked for: all of it that takes time, so it runs in a process that can be killed.
import {
  asApproved,
  compareVersions,
  continuesMajor,
  fingerprint,
  refusedChange,
  changedUnderNumber,
  servedContract,
  servedFaults,
  servedTool,
  ServedToolError,
  shapeOf,
  substanceOf,
  toDefinition,
  widenedFields,
  type ServedPlace,
  type ServedTool,
  type ToolContract,
} from '#lib/contracts';
import { expressionFaults } from '../rules/expression-faults.js';

export interface ContractToCheck {
  readonly place: ServedPlace;
  /** As it was received, as JSON. */
  readonly text: string;
  /** The approved versions that it is compared with, as JSON. */
  readonly approved: readonly string[];
  /** It may change under its number. */
  readonly isDraft: boolean;
}

export type CheckedContract =
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'fit';
      readonly tool: ServedTool;
      /** The same as it is kept where nobody looks at it; null where somebody has to. */
      readonly unseen: ServedTool | null;
      /** Of what was announced. */
      readonly fingerprint: string;
      readonly substance: string;
      /** Of the definition that lists show, with what references lead to in their places. */
      readonly publishedBytes: number;
      readonly warnings: readonly string[];
      /** The version that it continues; null where it is the first of its major number. */
      readonly continues: string | null;
      /** The fields by which it is more than that one. */
      readonly widened: readonly string[];
    };

const mostFaults = 10;

export function checkContract({ place, text, approved, isDraft }: ContractToCheck): CheckedContract {
  const parsed = servedTool.safeParse(JSON.parse(text));
  if (!parsed.success)
    return refused(parsed.error.issues.slice(0, mostFaults).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`));
  const tool = parsed.data;
  try {
    const contract = servedContract(place, tool);
    const { errors, warnings } = servedFaults(contract);
    const faults = [...errors, ...expressionFaults(contract)];
    if (faults.length > 0) return refused(faults.slice(0, mostFaults));
    const published = approved.flatMap((one) => madeOf(place, one) ?? []);
    const change = isDraft ? null : changeOf({ tool, contract }, published);
    if (change !== null) return refused([change]);
    const before = latestOfMajor(tool, published);
    const widened = before ? widenedFields(tool, before.tool) : [];
    return {
      kind: 'fit',
      tool,
      unseen: before && widened.length === 0 ? asApproved(tool, before.tool) : null,
      fingerprint: fingerprint(tool),
      substance: substanceOf(tool),
      publishedBytes: Buffer.byteLength(JSON.stringify(toDefinition(contract))),
      warnings,
      continues: before?.tool.version ?? null,
      widened,
    };
  } catch (error) {
    if (error instanceof ServedToolError) return refused([error.message]);
    throw error;
  }
}

interface Made {
  readonly tool: ServedTool;
  readonly contract: ToolContract;
}

/** Undefined for a version that an older gateway took and this one does not. */
function madeOf(place: ServedPlace, text: string): Made | undefined {
  const tool = servedTool.safeParse(JSON.parse(text));
  if (!tool.success) return undefined;
  try {
    return { tool: tool.data, contract: servedContract(place, tool.data) };
  } catch (error) {
    if (error instanceof ServedToolError) return undefined;
    throw error;
  }
}

function changeOf({ tool, contract }: Made, published: readonly Made[]): string | null {
  const same = published.find((one) => one.tool.version === tool.version);
  const fields = same ? changedUnderNumber(tool, same.tool) : [];
  if (fields.length > 0)
    return `${tool.name} ${tool.version} is not what was published under that version (${fields.join(', ')}): give it a new version`;
  return refusedChange(
    shapeOf(contract),
    published.map((one) => shapeOf(one.contract)),
  );
}

function latestOfMajor(tool: ServedTool, published: readonly Made[]): Made | undefined {
  const ofMajor = published.filter((one) => continuesMajor(tool, [one.tool]));
  return ofMajor.toSorted((a, b) => compareVersions(a.tool.version, b.tool.version)).at(-1);
}

function refused(reasons: readonly string[]): CheckedContract {
  return { kind: 'refused', reason: reasons.join('; ') };
}
