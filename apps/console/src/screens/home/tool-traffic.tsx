import { Link } from '@tanstack/react-router';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { formatCount, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import type { Summary } from './summary.js';
import { homeText } from './text.js';

const shownTools = 10;

interface ToolTrafficProps {
  readonly tools: Summary['byTool'];
  /** A window of the screens of errors and calls. */
  readonly since: string;
}

export function ToolTraffic({ tools, since }: ToolTrafficProps) {
  const words = useText(homeText);
  const language = useLanguage();
  if (tools.length === 0) return null;
  return (
    <Panel title={words.slowest} padded={false}>
      <Table
        isStacked
        columns={[
          words.tool,
          { title: words.calls, isNumber: true },
          { title: words.errors, isNumber: true },
          { title: words.p50, isNumber: true },
          { title: words.p99, isNumber: true },
        ]}
      >
        {tools.slice(0, shownTools).map(({ tool, calls, errors, p50, p99 }) => (
          <tr key={tool}>
            <td>
              <Link to="/calls" search={{ tool, scope: 'all', since }}>
                <code>{tool}</code>
              </Link>
            </td>
            <td className="number">{formatCount(calls, language)}</td>
            <td className="number">
              {errors > 0 ? (
                <Link to="/errors" search={{ tool, since }}>
                  {formatCount(errors, language)}
                </Link>
              ) : (
                0
              )}
            </td>
            <td className="number">{p50 === null ? '—' : formatMs(p50)}</td>
            <td className="number">{p99 === null ? '—' : formatMs(p99)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
