/** Restricts a search to some units. An empty filter accepts all. */
export interface LabelFilter {
  /** Only units with these refs. They are then read directly instead of through the posting lists, so the result is exact. */
  readonly refs?: readonly string[];
  /** Labels that a unit must have, all of them. */
  readonly all?: readonly string[];
  /** Groups of labels; a unit must have at least one of each group. */
  readonly anyOf?: readonly (readonly string[])[];
  /** Labels that a unit must not have. */
  readonly none?: readonly string[];
}

export interface FilterSql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** An SQL condition on the table alias `unit`. Empty when every unit passes. @param next number of the first free parameter `$n` */
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
