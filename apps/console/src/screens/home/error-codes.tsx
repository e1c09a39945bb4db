import { Link } from '@tanstack/react-router';
import { Count } from '../../components/count.js';
import { CodeBadge } from '../../components/badge.js';
import { culpritOf } from '../../components/culprit.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { useText } from '../../language/use-text.js';
import { homeText } from './text.js';

interface ErrorCodesProps {
  readonly codes: readonly (readonly [string, number])[];
  /** A window of the screen of errors. */
  readonly since: string;
}

export function ErrorCodes({ codes, since }: ErrorCodesProps) {
  const words = useText(homeText);
  const common = useText(shared);
  return (
    <Panel title={words.byCode} padded={codes.length === 0}>
      {codes.length === 0 ? (
        <p className="soft">{words.noErrors}</p>
      ) : (
        <Table columns={[words.errors, words.culprit, { title: words.calls, isNumber: true }]}>
          {codes.map(([code, count]) => (
            <tr key={code}>
              <td>
                <Link to="/errors" search={{ code, since }}>
                  <CodeBadge code={code} />
                </Link>
              </td>
              <td className="soft">{common.fault[culpritOf(code)]}</td>
              <td className="number">
                <Count of={count} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
