// One row of an import file: a profile of the tool `import_profiles`, checked before anything is sent.
import { z } from 'zod';
import { importProfiles } from '#lib/contracts';

const storableText = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character')
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
const labels = z.array(storableText.min(1)).max(100);

const profileRow = importProfiles.input.shape.profiles.element.extend({
  health_goals: labels,
  medical_conditions: labels,
  dietary_restrictions: labels,
  // Kept in UTC: Postgres refuses some offsets that ISO 8601 allows. When absent, the time of the import is taken.
  last_updated: z.iso
    .datetime({ offset: true, abort: true, error: 'expected ISO 8601 with an offset, such as 2026-11-21T09:30:00Z' })
    .refine((text) => isYearInRange(new Date(text)), 'must lie in the years 1900 to 9999')
    .transform((text) => new Date(text).toISOString())
    .optional(),
});

export type ProfileRow = z.infer<typeof profileRow>;
export type Column = keyof ProfileRow;

export const columns = Object.keys(profileRow.shape) as Column[];
export const optionalColumns: ReadonlySet<string> = new Set<Column>(['last_updated']);
export const numberColumns: ReadonlySet<string> = new Set<Column>(['age', 'height_cm', 'weight_kg']);
export const listColumns: ReadonlySet<string> = new Set<Column>(['health_goals', 'medical_conditions', 'dietary_restrictions']);

export type CheckedRow = { profile: ProfileRow } | { faults: string[] };

const shownFaults = 10;
const shownCharacters = 200;

/** The row, or the reasons against it. A reason names the field and never repeats its value: rows are health data. */
export function checkRow(fields: unknown): CheckedRow {
  const result = profileRow.safeParse(fields, { error: ({ input }) => (input === undefined ? 'is missing' : undefined) });
  if (result.success) return { profile: result.data };
  const { issues } = result.error;
  const faults = issues
    .slice(0, shownFaults)
    .map(({ path, message }) => printable(path.length ? `${pathText(path)}: ${message}` : message));
  if (issues.length > shownFaults) faults.push(`and ${issues.length - shownFaults} more faults`);
  return { faults };
}

/** Names of unknown fields come from the file, so control characters are replaced: a terminal would obey them. */
function printable(text: string): string {
  const short = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return short.replace(/\p{Cc}/gu, '\u{fffd}').toWellFormed();
}

function pathText(path: PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`)).join('');
}

function isYearInRange(date: Date): boolean {
  return date.getUTCFullYear() >= 1900 && date.getUTCFullYear() <= 9999;
}
