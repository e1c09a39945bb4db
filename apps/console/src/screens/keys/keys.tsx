import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Screen } from '../../components/screen.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { KeyTable } from './key-table.js';
import { MintDialog } from './mint-dialog.js';
import { keysText } from './text.js';
import { UsageView } from './usage-view.js';

/** Keys for administrators, usage for everybody. */
export function Keys() {
  const words = useText(keysText);
  const isAdmin = useScope('tenant:admin');
  const [isMinting, setIsMinting] = useState(false);
  const mint = isAdmin && (
    <Button look="primary" icon="plus" onClick={() => setIsMinting(true)}>
      {words.mint}
    </Button>
  );
  return (
    <Screen title={isAdmin ? words.title : words.usageTitle} actions={mint}>
      <UsageView />
      {isAdmin && <KeyTable />}
      {isMinting && <MintDialog onClose={() => setIsMinting(false)} />}
    </Screen>
  );
}
