import { Link } from '@tanstack/react-router';
import { Ago } from '../../components/time.js';
import { Stats } from '../../components/stats.js';
import type { RunDetail } from '../../data/api.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { runScreenText } from './run-screen-text.js';

export function RunFacts({ run }: { readonly run: RunDetail }) {
  const words = useText(runScreenText);
  const waited = between(run.created_at, run.started_at);
  return (
    <Stats
      stats={[
        {
          label: words.tool,
          value: (
            <Link to="/tools/$name" params={{ name: run.tool_name }} style={{ fontSize: 14 }}>
              <code>{run.tool_name}</code>
            </Link>
          ),
        },
        {
          label: words.accepted,
          value: (
            <span style={{ fontSize: 15 }}>
              <Ago at={run.created_at} />
            </span>
          ),
        },
        { label: words.attempts, value: run.attempts_made, unit: `/ ${run.max_attempts}` },
        { label: words.waited, value: waited },
        { label: words.ran, value: between(run.started_at, run.finished_at) },
        ...(run.replay_of
          ? [
              {
                label: words.origin,
                value: (
                  <Link to="/runs/$jobId" params={{ jobId: run.replay_of }} style={{ fontSize: 13 }}>
                    <code>{run.replay_of.slice(-8)}</code>
                  </Link>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

function between(from: string | null, to: string | null): string {
  return from === null || to === null ? '—' : formatMs(new Date(to).getTime() - new Date(from).getTime());
}
