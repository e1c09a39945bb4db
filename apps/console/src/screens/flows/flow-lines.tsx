import { Link } from '@tanstack/react-router';
import type { WaitingLine } from '#lib/client';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useFlowLines } from '../../data/flows.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Rule } from './rule.js';
import { flowsText } from './text.js';

/** The lines in which calls wait for each other: whose, how many, and since when. */
export function FlowLines() {
  const words = useText(flowsText);
  const lines = useFlowLines();
  return (
    <Panel title={words.lines} padded={false}>
      <Loaded query={lines} lines={3}>
        {({ lines: shown, total }) =>
          shown.length === 0 ? (
            <p className="faint list-note">{words.noLines}</p>
          ) : (
            <>
              {total > shown.length && <p className="faint list-note">{words.moreLines(shown.length, total)}</p>}
              <Table
                isStacked
                columns={[
                  { title: words.line, width: '28%' },
                  words.flow,
                  words.rule,
                  { title: words.running, isNumber: true },
                  { title: words.waiting, isNumber: true },
                  words.nextSince,
                  words.next,
                ]}
              >
                {shown.map((line) => (
                  <Row key={`${line.by} ${line.flow} ${line.first}`} line={line} />
                ))}
              </Table>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Row({ line }: { readonly line: WaitingLine }) {
  const words = useText(flowsText);
  const language = useLanguage();
  const { flow, by, of, running, waiting, first, since } = line;
  return (
    <tr>
      <td className="told">
        <strong>{of ?? words.unknownLine}</strong>
      </td>
      <td className="told">
        <code>{flow}</code>
        {words.by[by] !== '' && <div className="faint">{words.by[by]}</div>}
      </td>
      <td>
        <Rule of={line} />
      </td>
      <td className="number">{formatCount(running, language)}</td>
      <td className="number">{formatCount(waiting, language)}</td>
      <td className="faint">
        <Ago at={since} />
      </td>
      <td>
        <Link to="/calls/$jobId" params={{ jobId: first }} aria-label={`${words.openNext(of ?? flow)}: ${first.slice(-8)}`}>
          <code>{first.slice(-8)}</code>
        </Link>
      </td>
    </tr>
  );
}
