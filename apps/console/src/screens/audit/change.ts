// What an entry of the audit changed, as two texts to compare.
import type { AuditEvent } from '#lib/contracts';

export type Row = AuditEvent['facts'];

export interface Change {
  readonly before: string;
  readonly after: string;
  /** Columns that were changed, and whose values the audit never has. */
  readonly hidden: readonly string[];
}

/** The columns that an update changed, before and after it. */
export function changeOf({ changed, facts }: Pick<AuditEvent, 'changed' | 'facts'>, before: Row): Change {
  const shown = changed.filter((column) => column in facts || column in before);
  return { before: textOf(shown, before), after: textOf(shown, facts), hidden: changed.filter((column) => !shown.includes(column)) };
}

/** A column a line, so that each is compared by itself. */
function textOf(columns: readonly string[], row: Row): string {
  return columns.map((column) => `${column}: ${JSON.stringify(row[column] ?? null, null, 2)}\n`).join('');
}
