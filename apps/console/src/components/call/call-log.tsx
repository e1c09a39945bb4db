import { useState } from 'react';
import type { Trace } from '#lib/client';
import { isMissingTrace, useTrace } from '../../data/trace.js';
import { formatClockMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Badge, type Tone } from '../badge.js';
import { EmptyState } from '../empty-state.js';
import { SearchInput } from '../field.js';
import { Loaded } from '../loading.js';
import { Notice } from '../notice.js';
import { Table } from '../table.js';
import { logOf, type LogLine } from './log-lines.js';
import { callText } from './text.js';
import { NoTrace } from './trace-view.js';

interface CallLogProps {
  readonly jobId: string;
  readonly traceId: string;
  /** Anything that changes when an attempt has ended: its lines come then. */
  readonly version: string;
  readonly isOpen: boolean;
}

/** What the tool logged in all attempts of a call. */
export function CallLog({ jobId, traceId, version, isOpen }: CallLogProps) {
  const words = useText(callText);
  const trace = useTrace(traceId, version);
  if (isMissingTrace(trace.error) && !isOpen) return <NoTrace />;
  if (isMissingTrace(trace.error)) return <EmptyState icon="clock" title={words.noLogYet} />;
  return <Loaded query={trace}>{(data) => <Lines trace={data} jobId={jobId} isOpen={isOpen} />}</Loaded>;
}

function Lines({ trace, jobId, isOpen }: { readonly trace: Trace; readonly jobId: string; readonly isOpen: boolean }) {
  const words = useText(callText);
  const [text, setText] = useState('');
  const { lines, leftOut } = logOf(trace, jobId);
  const wanted = text.trim().toLowerCase();
  const found = lines.filter(({ level, message }) => `${level} ${message}`.toLowerCase().includes(wanted));
  if (lines.length === 0 && leftOut.length === 0) {
    return (
      <EmptyState icon="clock" title={isOpen ? words.noLogYet : words.noLog}>
        <p>{words.noLogHelp}</p>
      </EmptyState>
    );
  }
  return (
    <div className="stack" style={{ padding: 'var(--s4)' }}>
      <div className="line wrap">
        <SearchInput label={words.findInLog} value={text} onChange={(event) => setText(event.target.value)} />
        <span className="faint" role="status">
          {words.logLines(found.length, lines.length)}
        </span>
      </div>
      {isOpen && <p className="faint">{words.logComes}</p>}
      {found.length > 0 && <LineTable lines={found} />}
      {leftOut.map(({ attempt, count }) => (
        <Notice key={attempt} tone="warn">
          {words.leftOut(count, attempt)}
        </Notice>
      ))}
    </div>
  );
}

const tones: Readonly<Record<string, Tone>> = { error: 'bad', warn: 'warn', info: 'info' };

function LineTable({ lines }: { readonly lines: readonly LogLine[] }) {
  const words = useText(callText);
  const language = useLanguage();
  return (
    <Table
      columns={[{ title: words.logTime, width: '110px' }, { title: words.level, width: '80px' }, words.logMessage, words.attemptTitle]}
    >
      {lines.map(({ at, level, message, attempt }, index) => (
        <tr key={`${at} ${index}`}>
          <td className="mono faint">
            <time dateTime={new Date(at).toISOString()}>{formatClockMs(at, language)}</time>
          </td>
          <td>
            <Badge tone={tones[level] ?? 'plain'}>{level}</Badge>
          </td>
          <td className="mono log-message">{message}</td>
          <td className="number">{attempt}</td>
        </tr>
      ))}
    </Table>
  );
}
