import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ErrorCause, ErrorKind } from '#lib/client';
import { TinyBars } from '../../components/bars.js';
import { CodeBadge } from '../../components/badge.js';
import { IconButton } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useErrors, type ErrorsAsked } from '../../data/errors.js';
import { useTools } from '../../data/tools.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { windowText, type Window } from '../../language/windows.js';
import { ErrorSamples } from './error-samples.js';
import { errorsText } from './text.js';

interface ErrorKindsProps {
  readonly asked: ErrorsAsked & { readonly cause: ErrorCause };
}

/** The kinds of one cause, the most frequent first. */
export function ErrorKinds({ asked }: ErrorKindsProps) {
  const words = useText(errorsText);
  const windows = useText(windowText);
  const pages = useErrors(asked);
  const { cause, tool, code, tenant } = asked;
  const isFiltered = [tool, code, tenant].some((one) => one !== undefined);
  const last = windows.last[asked.window];
  return (
    <Panel padded={false} title={words.total[cause]}>
      <Loaded query={pages} lines={5}>
        {({ pages: read }) => {
          const kinds = read.flatMap(({ errors }) => errors);
          if (kinds.length === 0)
            return (
              <p className="all-good">
                <Icon name="check" /> {isFiltered ? words.noneFiltered(last) : words.none[cause](last)}
                <span className="faint">{words.everyCall}</span>
              </p>
            );
          return (
            <>
              <Table
                isStacked
                columns={[
                  { title: words.error, width: '40%' },
                  words.tool,
                  { title: words.trend, width: '130px' },
                  { title: words.count, isNumber: true },
                  { title: words.first, isNumber: true },
                  { title: words.last, isNumber: true },
                  { title: words.samples, isHidden: true },
                ]}
              >
                {kinds.map((kind) => (
                  <KindRow key={kind.id} kind={kind} asked={asked} />
                ))}
              </Table>
              <MoreButton pages={pages} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function KindRow({ kind, asked }: { readonly kind: ErrorKind } & ErrorKindsProps) {
  const words = useText(errorsText);
  const language = useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  const { code, native_code: native, message, tool_name: tool, tenant_id: tenant, cause, count, counts } = kind;
  const shown = native ?? code;
  return (
    <>
      <tr>
        <td>
          <div className="stack tight">
            <span className="line wrap">
              <CodeBadge code={shown} />
              {shown !== code && <span className="faint mono">{code}</span>}
            </span>
            <span className="told two-lines">{message ?? <span className="faint">{words.anyMessage}</span>}</span>
          </div>
        </td>
        <td>
          <ToolName tool={tool} />
          {asked.scope === 'all' && tenant !== null && <div className="faint">{tenant}</div>}
        </td>
        <td>
          <TinyBars values={counts} isBad={cause === 'system'} />
        </td>
        <td className="number">
          <strong>{formatCount(count, language)}</strong>
        </td>
        <td className="number faint">{isByDay(asked.window) ? kind.first_at.slice(0, 10) : <Ago at={kind.first_at} />}</td>
        <td className="number faint">
          <Ago at={kind.last_at} />
        </td>
        <td>
          <span className="line end">
            <IconButton
              small
              icon={isOpen ? 'down' : 'right'}
              aria-expanded={isOpen}
              label={words.showSamples(shown, tool ?? words.anyTool)}
              onClick={() => setIsOpen(!isOpen)}
            />
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr className="below">
          <td colSpan={7}>
            <ErrorSamples kind={kind} asked={asked} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Counted by days of UTC, so that the first is known to the day alone. */
function isByDay(window: Window): boolean {
  return window === '7d' || window === '30d' || window === '90d';
}

/** A name that no tool has, such as a mistyped one, leads nowhere. */
function ToolName({ tool }: { readonly tool: string | null }) {
  const words = useText(errorsText);
  const { data: tools = [] } = useTools();
  if (tool === null) return <span className="faint">{words.anyTool}</span>;
  if (!tools.some(({ name }) => name === tool)) return <code>{tool}</code>;
  return (
    <Link to="/tools/$name" params={{ name: tool }} search={{ tab: 'errors' }} title={words.openTool}>
      <code>{tool}</code>
    </Link>
  );
}
