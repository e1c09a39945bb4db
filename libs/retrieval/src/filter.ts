/** Which units a search may find, by their labels. An empty filter lets all pass. */
export interface LabelFilter {
  /** Only units of these names. Then it is they that are read, and not the lists of the terms: exact, whatever else there is. */
  readonly refs?: readonly string[];
  /** Every one of these. */
  readonly all?: readonly string[];
  /** At least one of each group. */
  readonly anyOf?: readonly (readonly string[])[];
  /** None of these. */
  readonly none?: readonly string[];
}

export interface FilterSql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A condition on `unit.labels`, empty when everything passes. @param next number of the first free parameter */
export function filterSql({ refs, all = [], anyOf = [], none = [] }: LabelFilter, next: number): FilterSql {
  const parts: string[] = [];
  const values: unknown[] = [];
  const add = (operator: string, labels: readonly string[], negated = ''): void => {
    parts.push(`${negated}(unit.labels ${operator} $${next + values.length}::text[])`);
    values.push(labels);
  };
  if (refs) {
    parts.push(`unit.ref = ANY($${next}::text[])`);
    values.push(refs);
  }
  if (all.length > 0) add('@>', all);
  for (const group of anyOf) add('&&', group);
  if (none.length > 0) add('&&', none, 'NOT ');
  return { text: parts.join(' AND '), values };
}
