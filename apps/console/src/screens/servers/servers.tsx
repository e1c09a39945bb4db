import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ScopeOnly } from '../../app/scope-only.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { api } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { RegisterDialog } from './register-dialog.js';
import { ServerPanel } from './server-panel.js';
import { serversText } from './text.js';

export function Servers() {
  return (
    <ScopeOnly scope="tenant:admin">
      <ServerList />
    </ScopeOnly>
  );
}

/** Outside servers, what they serve, and what they may not. */
function ServerList() {
  const words = useText(serversText);
  // Tools are suspended meanwhile by calls of others: whoever comes here wants to see it.
  const servers = useQuery({ queryKey: ['servers'], queryFn: api.servers, staleTime: 0 });
  const [isRegistering, setIsRegistering] = useState(false);
  const register = (
    <Button look="primary" icon="plus" onClick={() => setIsRegistering(true)}>
      {words.register}
    </Button>
  );
  return (
    <Screen title={words.title} actions={register}>
      <Loaded query={servers}>
        {({ servers: list }) =>
          list.length === 0 ? (
            <Panel>
              <EmptyState icon="servers" title={words.none}>
                <p>{words.noneHelp}</p>
              </EmptyState>
            </Panel>
          ) : (
            list.map((server) => <ServerPanel key={`${server.tenant_id}/${server.name}`} server={server} />)
          )
        }
      </Loaded>
      {isRegistering && <RegisterDialog onClose={() => setIsRegistering(false)} />}
    </Screen>
  );
}
