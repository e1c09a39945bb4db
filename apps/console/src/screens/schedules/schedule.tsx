import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schedule } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Button } from '../../components/button.js';
import { JsonBlock } from '../../components/code-block.js';
import { Confirm } from '../../components/confirm.js';
import { BackLink, DetailScreen } from '../../components/detail-screen.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Facts } from '../../components/stats.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { schedulesChanged, schedulesKey } from '../../data/schedules.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { formatMs, formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { NextCalls } from './next-calls.js';
import { ScheduleActions, useIsOwn } from './schedule-actions.js';
import { ScheduleDialog } from './schedule-dialog.js';
import { ScheduleRuns } from './schedule-runs.js';
import { ScheduleState } from './schedule-state.js';
import { schedulesText } from './text.js';
import { bodyOf, formFrom } from './form.js';
import { whenOf } from './when.js';

const route = getRouteApi('/schedules/$id');
const everyMs = 10_000;

/** One schedule: what it calls and when, and what became of each moment. */
export function ScheduleScreen() {
  const words = useText(schedulesText);
  const { id } = route.useParams();
  const schedule = useQuery({
    queryKey: [schedulesKey, 'one', id],
    queryFn: ({ signal }) => invoq.schedules.get(id, { signal }),
    refetchInterval: useWhileTouched(everyMs),
  });
  return (
    <ScopeOnly scope="schedules">
      <DetailScreen title={words.title} back={<BackLink to="/schedules" label={words.back} />} query={schedule}>
        {(data) => <Whole schedule={data} />}
      </DetailScreen>
    </ScopeOnly>
  );
}

function Whole({ schedule }: { readonly schedule: Schedule }) {
  const words = useText(schedulesText);
  const common = useText(shared);
  const navigate = useNavigate();
  const isOwn = useIsOwn(schedule);
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const { id, name, owner, problem } = schedule;
  const isPreviewed = isOwn && schedule.state === 'active';
  const remove = async () => {
    await invoq.schedules.delete(id);
    await navigate({ to: '/schedules' });
    await schedulesChanged();
  };
  const actions = (
    <>
      <ScheduleActions schedule={schedule} />
      {isOwn && (
        <Button icon="edit" onClick={() => setOpen('edit')}>
          {common.edit}
        </Button>
      )}
      <Button look="danger" icon="trash" onClick={() => setOpen('delete')}>
        {common.delete}
      </Button>
    </>
  );
  return (
    <Screen
      title={name}
      lead={<BackLink to="/schedules" label={words.back} />}
      aside={<ScheduleState schedule={schedule} />}
      actions={actions}
    >
      {problem && (
        <Notice tone="warn">
          <strong>{words.problem}</strong>
          <p>{problem.message}</p>
        </Notice>
      )}
      {!isOwn && <Notice>{words.others(owner)}</Notice>}
      <div className={`columns ${isPreviewed ? 'two' : ''}`}>
        <AboutSchedule schedule={schedule} />
        {isPreviewed && <NextCalls body={bodyOf(formFrom(schedule))} />}
      </div>
      <ScheduleRuns id={id} />
      {open === 'edit' && <ScheduleDialog schedule={schedule} onClose={() => setOpen(null)} />}
      {open === 'delete' && (
        <Confirm action={words.delete(name)} icon="trash" run={remove} done={words.deleted(name)} onClose={() => setOpen(null)}>
          <p>{words.deleteHelp}</p>
          <p className="soft">{common.neverUndone}</p>
        </Confirm>
      )}
    </Screen>
  );
}

function AboutSchedule({ schedule }: { readonly schedule: Schedule }) {
  const words = useText(schedulesText);
  const language = useLanguage();
  const { tool, cron, time_zone, owner, overlap, missed, jitter_ms, starts_at, ends_at, created_at } = schedule;
  return (
    <Panel title={words.about}>
      <div className="stack">
        <Facts
          facts={[
            [
              words.tool,
              <Link key="tool" to="/tools/$name" params={{ name: tool.split('@')[0] ?? tool }}>
                <code>{tool}</code>
              </Link>,
            ],
            [
              words.when,
              <span key="when" className="mono">{`${whenOf(schedule, words.every)}${cron === null ? '' : ` · ${time_zone}`}`}</span>,
            ],
            [words.owner, owner],
            ...(starts_at === null ? [] : [[words.starts, formatTime(starts_at, language)] as const]),
            ...(ends_at === null ? [] : [[words.ends, formatTime(ends_at, language)] as const]),
            [words.overlap, words.overlaps[overlap]],
            [words.missed, words.misses[missed]],
            ...(jitter_ms === 0 ? [] : [[words.jitter, formatMs(jitter_ms)] as const]),
            [words.created, <Ago key="created" at={created_at} />],
          ]}
        />
        <JsonBlock value={schedule.arguments} label={words.arguments} />
      </div>
    </Panel>
  );
}
