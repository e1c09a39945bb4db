import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schedule } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { ApiLines } from '../../components/api-lines.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { schedulesKey } from '../../data/schedules.js';
import { useScope } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { useText } from '../../language/use-text.js';
import { ScheduleActions } from './schedule-actions.js';
import { ScheduleDialog } from './schedule-dialog.js';
import { ScheduleState } from './schedule-state.js';
import { schedulesText } from './text.js';
import { whenOf } from './when.js';

const route = getRouteApi('/schedules');
const everyMs = 15_000;

export function Schedules() {
  return (
    <ScopeOnly scope="schedules">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(schedulesText);
  const common = useText(shared);
  const isAdmin = useScope('tenant:admin');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isMaking, setIsMaking] = useState(false);
  const scope = search.scope === 'tenant' && isAdmin ? 'tenant' : 'mine';
  const pages = usePages({
    key: [schedulesKey, 'list', scope],
    read: (cursor, signal) => invoq.schedules.list({ scope, cursor, signal }),
    everyMs: useWhileTouched(everyMs),
  });
  const create = (
    <Button look="primary" icon="plus" onClick={() => setIsMaking(true)}>
      {words.create}
    </Button>
  );
  return (
    <Screen title={words.title} actions={create}>
      {isAdmin && (
        <div>
          <ScopeChoice
            value={scope}
            offered={['mine', 'tenant']}
            onChoose={(chosen) => void navigate({ to: '.', search: { scope: chosen }, replace: true })}
          />
        </div>
      )}
      <Panel padded={false} title={words.list}>
        <Loaded query={pages} lines={6}>
          {({ pages: read }) => {
            const rows = read.flatMap(({ schedules }) => schedules);
            if (rows.length === 0)
              return (
                <EmptyState icon="clock" title={words.none}>
                  <p>{words.noneHelp}</p>
                  <ApiLines
                    lines={[
                      `npx invoq schedules create morning get_weather --cron '0 9 * * *' --zone Europe/Berlin --arguments '{"location":"Berlin"}'`,
                    ]}
                  />
                </EmptyState>
              );
            return (
              <>
                <Table
                  isStacked
                  columns={[
                    words.name,
                    words.tool,
                    words.when,
                    words.state,
                    words.next,
                    words.last,
                    { title: common.actions, isHidden: true },
                  ]}
                >
                  {rows.map((schedule) => (
                    <Row key={schedule.id} schedule={schedule} isOfTenant={scope === 'tenant'} />
                  ))}
                </Table>
                <MoreButton pages={pages} />
              </>
            );
          }}
        </Loaded>
      </Panel>
      {isMaking && <ScheduleDialog schedule={null} onClose={() => setIsMaking(false)} />}
    </Screen>
  );
}

function Row({ schedule, isOfTenant }: { readonly schedule: Schedule; readonly isOfTenant: boolean }) {
  const words = useText(schedulesText);
  const { id, name, tool, owner, time_zone, next_at, last_at, cron } = schedule;
  return (
    <tr>
      <td>
        <Link to="/schedules/$id" params={{ id }}>
          {name}
        </Link>
        {isOfTenant && <div className="faint">{owner}</div>}
      </td>
      <td>
        <code>{tool}</code>
      </td>
      <td>
        <span className="mono">{whenOf(schedule, words.every)}</span>
        {cron !== null && <div className="faint">{time_zone}</div>}
      </td>
      <td>
        <ScheduleState schedule={schedule} />
      </td>
      <td className="soft">{next_at === null ? '—' : <Ago at={next_at} />}</td>
      <td className="soft">{last_at === null ? '—' : <Ago at={last_at} />}</td>
      <td>
        <span className="line end">
          <ScheduleActions schedule={schedule} small />
        </span>
      </td>
    </tr>
  );
}
