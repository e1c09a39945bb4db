import { useState } from 'react';
import { ScopeOnly } from '../../app/scope-only.js';
import { Button } from '../../components/button.js';
import { Screen } from '../../components/screen.js';
import { useText } from '../../language/use-text.js';
import { KeyTable } from './key-table.js';
import { MintDialog } from './mint-dialog.js';
import { keysText } from './text.js';

/** The keys of a tenant, or of all, for its administrators. */
export function Keys() {
  const words = useText(keysText);
  const [isMinting, setIsMinting] = useState(false);
  const mint = (
    <Button look="primary" icon="plus" onClick={() => setIsMinting(true)}>
      {words.mint}
    </Button>
  );
  return (
    <ScopeOnly scope="tenant:admin">
      <Screen title={words.title} actions={mint}>
        <KeyTable />
        {isMinting && <MintDialog onClose={() => setIsMinting(false)} />}
      </Screen>
    </ScopeOnly>
  );
}
