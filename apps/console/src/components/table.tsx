import type { ReactNode } from 'react';

interface NamedColumn {
  readonly title: string;
  readonly isNumber?: true;
  /** Leaves the title to screen readers. */
  readonly isHidden?: true;
  /** Of the table, such as `34%`. */
  readonly width?: string;
}

/** A title alone, or with what makes its column different. */
export type Column = string | NamedColumn;

interface TableProps {
  readonly columns: readonly Column[];
  /** On a phone each row is a card, its cells one below the other beside their titles. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}

/** Rows under their titles. A table that is wider than its place scrolls within it. */
export function Table({ columns, isStacked = false, children }: TableProps) {
  return (
    <div className={`table-wrap ${isStacked ? 'stacked' : ''}`} {...(isStacked && { style: titlesOf(columns) })}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => {
              const { title, isNumber, isHidden, width } = typeof column === 'string' ? { title: column } : column;
              return (
                <th key={title} scope="col" {...(isNumber && { className: 'number' })} style={{ width }}>
                  {isHidden ? <span className="hidden-visually">{title}</span> : title}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The titles as custom properties, from which the styles take them for cards: `--column-2: "Tool"`. */
function titlesOf(columns: readonly Column[]): Readonly<Record<`--column-${number}`, string>> {
  return Object.fromEntries(
    columns.map((column, index) => {
      const { title, isHidden } = typeof column === 'string' ? { title: column } : column;
      return [`--column-${index + 1}`, JSON.stringify(isHidden ? '' : title)];
    }),
  );
}
