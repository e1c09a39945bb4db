import { getRouteApi } from '@tanstack/react-router';
import { ScopeOnly } from '../../app/scope-only.js';
import { Screen } from '../../components/screen.js';
import { Stale } from '../../components/stale.js';
import { useErrors } from '../../data/errors.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { windowOf } from '../../language/windows.js';
import { ErrorFilters, errorWindows } from './error-filters.js';
import { ErrorKinds } from './error-kinds.js';
import { ErrorsOverTime } from './errors-over-time.js';
import { errorsText } from './text.js';

const route = getRouteApi('/errors');
const causes = ['system', 'caller'] as const;

/** What ended with an error, by kind: faults of the system first, and apart from them what callers asked for wrongly. */
export function Errors() {
  return (
    <ScopeOnly scope="tenant:admin">
      <Counted />
    </ScopeOnly>
  );
}

function Counted() {
  const words = useText(errorsText);
  const isAdmin = useScope('admin');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { tool, code, tenant } = search;
  const window = errorWindows.find((one) => one === windowOf(search.since)) ?? '1h';
  const scope = isAdmin && search.scope !== 'tenant' ? 'all' : 'tenant';
  const cause = causes.find((one) => one === search.cause);
  const filter = { scope, tool, code, window, ...(scope === 'all' && { tenant }) } as const;
  const whole = useErrors({ ...filter, cause });
  return (
    <Screen title={words.title}>
      <ErrorFilters
        search={search}
        window={window}
        scope={scope}
        onChange={(next) => void navigate({ to: '.', search: next, replace: true })}
      />
      <Stale heardAt={whole.isRefetchError ? whole.dataUpdatedAt : null}>
        <ErrorsOverTime errors={whole} />
        {causes.map((one) => (cause === undefined || cause === one) && <ErrorKinds key={one} asked={{ ...filter, cause: one }} />)}
      </Stale>
    </Screen>
  );
}
