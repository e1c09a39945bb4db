import { Link } from '@tanstack/react-router';
import { CodeBadge, culpritOf } from '../../components/badge.js';
import { Panel } from '../../components/panel.js';
import { shared } from '../../components/text.js';
import { useText } from '../../language/use-text.js';
import { homeText } from './text.js';

export function ErrorCodes({ codes }: { readonly codes: readonly (readonly [string, number])[] }) {
  const words = useText(homeText);
  const common = useText(shared);
  return (
    <Panel title={words.byCode} padded={codes.length === 0}>
      {codes.length === 0 ? (
        <p className="soft">{words.noErrors}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.errors}</th>
              <th scope="col">{words.culprit}</th>
              <th scope="col" className="number">
                {words.calls}
              </th>
            </tr>
          </thead>
          <tbody>
            {codes.map(([code, count]) => (
              <tr key={code}>
                <td>
                  <Link to="/errors" search={{ code, scope: 'all' }}>
                    <CodeBadge code={code} />
                  </Link>
                </td>
                <td className="soft">{common.fault[culpritOf(code)]}</td>
                <td className="number">{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
