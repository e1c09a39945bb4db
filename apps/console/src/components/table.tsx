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

/** Rows under their titles. A table that is wider than its place scrolls within it. */
export function Table({ columns, children }: { readonly columns: readonly Column[]; readonly children: ReactNode }) {
  return (
    <div className="table-wrap">
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
