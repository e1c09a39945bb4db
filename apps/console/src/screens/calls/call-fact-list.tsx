import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Trace } from '#lib/client';
import { routeOf } from '../../components/call/own-attempts.js';
import { Facts } from '../../components/stats.js';
import type { CallDetail } from '../../data/api.js';
import { useCallPlace } from '../../data/call-place.js';
import { useTrace } from '../../data/trace.js';
import { formatCount, formatTime } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { callScreenText } from './call-screen-text.js';

/** Who called what, through which door, when, and what it cost. */
export function CallFactList({ call }: { readonly call: CallDetail }) {
  const words = useText(callScreenText);
  const language = useLanguage();
  const { row, past } = useCallPlace(call);
  const { data: trace } = useTrace(call.trace_id, call.state);
  const door = trace && doorOf(trace, call.job_id);
  const tokens = past && (past.input_tokens ?? 0) + (past.output_tokens ?? 0);
  const facts: readonly (readonly [string, ReactNode] | null)[] = [
    [
      words.tool,
      <span key="tool">
        <Link to="/tools/$name" params={{ name: call.tool_name }}>
          <code>{call.tool_name}</code>
        </Link>{' '}
        {row && <span className="faint">{row.tool_version}</span>}
      </span>,
    ],
    row && [
      words.caller,
      <span key="who">
        {row.user_id ?? words.ownKey} <span className="faint">{row.tenant_id}</span>
      </span>,
    ],
    past && [words.key, <code key="key">{past.credential_id}</code>],
    door ? [words.door, words.doors[door]] : null,
    [words.accepted, <Moment key="accepted" at={call.created_at} />],
    call.started_at === null ? null : [words.started, <Moment key="started" at={call.started_at} />],
    call.finished_at === null ? null : [words.finished, <Moment key="finished" at={call.finished_at} />],
    [words.attempts, words.attemptsOf(call.attempts_made, call.max_attempts)],
    [
      words.trace,
      <Link key="trace" to="/traces/$traceId" params={{ traceId: call.trace_id }}>
        <code>{call.trace_id}</code>
      </Link>,
    ],
    tokens ? [words.tokens, formatCount(tokens, language)] : null,
    past?.cost_micros ? [words.cost, formatMicros(past.cost_micros, language)] : null,
    call.replay_of
      ? [
          words.origin,
          <Link key="origin" to="/calls/$jobId" params={{ jobId: call.replay_of }}>
            <code>{call.replay_of}</code>
          </Link>,
        ]
      : null,
  ];
  return <Facts isWide facts={facts.filter((fact) => fact !== null)} />;
}

/** An absolute time, to the millisecond for whoever points at it. */
export function Moment({ at }: { readonly at: string }) {
  const language = useLanguage();
  return (
    <time dateTime={at} title={at}>
      {formatTime(at, language)}
    </time>
  );
}

type Door = 'http' | 'mcp' | 'chat' | 'batch';

/** The door that a call came through; null where its trace tells none. */
function doorOf(trace: Pick<Trace, 'spans'>, jobId: string): Door | null {
  const route = routeOf(trace, jobId);
  const [, door] = doors.find(([path]) => route?.startsWith(path)) ?? [];
  return door ?? null;
}

const doors: readonly (readonly [string, Door])[] = [
  ['/tools', 'http'],
  ['/mcp', 'mcp'],
  ['/chat', 'chat'],
  ['/agent', 'chat'],
  ['/batch', 'batch'],
];
