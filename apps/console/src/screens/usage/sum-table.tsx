import { Link } from '@tanstack/react-router';
import type { CallSum } from '#lib/client';
import { Table } from '../../components/table.js';
import { formatCount, formatMs } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { microsOf, nameOf, totalOf, type Group } from './sums.js';
import { usageText } from './text.js';

/** A row for each of what is grouped by. */
export function SumTable({ rows, group }: { readonly rows: readonly CallSum[]; readonly group: Group }) {
  const words = useText(usageText);
  const language = useLanguage();
  const { calls: all } = totalOf(rows);
  return (
    <Table
      isStacked
      columns={[
        words.groups[group],
        { title: words.calls, isNumber: true },
        { title: words.share, width: '20%' },
        { title: words.failed, isNumber: true },
        { title: words.tokens, isNumber: true },
        { title: words.time, isNumber: true },
        { title: words.cost, isNumber: true },
      ]}
    >
      {rows.map((row) => (
        <tr key={nameOf(row, group)}>
          <td className="told">
            <Name row={row} group={group} />
          </td>
          <td className="number">{formatCount(row.calls, language)}</td>
          <td>
            <div className="meter" role="presentation">
              <i style={{ width: `${(row.calls / Math.max(1, all)) * 100}%` }} />
            </div>
          </td>
          <td className={`number ${row.failed > 0 ? '' : 'faint'}`}>{formatCount(row.failed, language)}</td>
          <td className="number">{formatCount(row.input_tokens + row.output_tokens, language)}</td>
          <td className="number">{formatMs(row.execution_ms)}</td>
          <td className="number">{formatMicros(microsOf(row), language)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Name({ row, group }: { readonly row: CallSum; readonly group: Group }) {
  const words = useText(usageText);
  const name = nameOf(row, group);
  if (name === '') return <span className="soft">{words.unnamed[group]}</span>;
  if (group !== 'tool') return <code>{name}</code>;
  return (
    <Link to="/tools/$name" params={{ name }}>
      <code>{name}</code>
    </Link>
  );
}
