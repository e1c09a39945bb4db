import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useText } from '../language/use-text.js';
import { ApiLines } from './api-lines.js';
import { Button, IconButton } from './button.js';
import { Confirm } from './confirm.js';
import { EmptyState } from './empty-state.js';
import type { IconName } from './icon.js';
import { Loaded } from './loading.js';
import { Panel } from './panel.js';
import { Screen } from './screen.js';
import { Table, type Column } from './table.js';
import { shared } from './text.js';

interface Named {
  readonly name: string;
}

interface NamedListProps<One extends Named> {
  readonly title: string;
  readonly icon: IconName;
  /** The heading of the list. */
  readonly heading: string;
  readonly create: string;
  readonly query: UseQueryResult<readonly One[]>;
  /** What stands where there are none: why, and how to make one on the command line. */
  readonly none: { readonly title: string; readonly help: string; readonly lines: readonly string[] };
  /** Without the last, which has the actions. */
  readonly columns: readonly Column[];
  readonly cells: (one: One) => ReactNode;
  /** @param one null for a new one */
  readonly dialog: (one: One | null, onClose: () => void) => ReactNode;
  readonly remove: RemoveProps<One>;
  /** Below the list. */
  readonly children?: ReactNode;
}

interface RemoveProps<One> {
  /** The verb and the name: the button, and the title of the question. */
  readonly action: (name: string) => string;
  readonly icon?: IconName;
  /** What it will cause. */
  readonly help: (one: One) => ReactNode;
  readonly run: (name: string) => Promise<unknown>;
  readonly done: (name: string) => string;
  /** Whether whoever is signed in may. Default: always. */
  readonly may?: (one: One) => boolean;
}

type Opened<One> = { readonly kind: 'edit'; readonly one: One | null } | { readonly kind: 'remove'; readonly one: One } | null;

/** A screen of things with names, that are made, changed and removed in dialogs. */
export function NamedList<One extends Named>(props: NamedListProps<One>) {
  const { title, icon, heading, create, query, none, columns, cells, dialog, remove, children } = props;
  const common = useText(shared);
  const [open, setOpen] = useState<Opened<One>>(null);
  const close = () => setOpen(null);
  return (
    <Screen
      title={title}
      actions={
        <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'edit', one: null })}>
          {create}
        </Button>
      }
    >
      <Panel padded={false} title={heading}>
        <Loaded query={query} lines={5}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon={icon} title={none.title}>
                <p>{none.help}</p>
                <ApiLines lines={none.lines} />
              </EmptyState>
            ) : (
              <Table isStacked columns={[...columns, { title: common.actions, isHidden: true }]}>
                {list.map((one) => (
                  <tr key={one.name}>
                    {cells(one)}
                    <td>
                      {remove.may?.(one) !== false && (
                        <span className="line end">
                          <IconButton
                            small
                            icon="edit"
                            label={`${common.edit} ${one.name}`}
                            onClick={() => setOpen({ kind: 'edit', one })}
                          />
                          <IconButton
                            small
                            icon={remove.icon ?? 'trash'}
                            label={remove.action(one.name)}
                            onClick={() => setOpen({ kind: 'remove', one })}
                          />
                        </span>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Loaded>
      </Panel>
      {children}
      {open?.kind === 'edit' && dialog(open.one, close)}
      {open?.kind === 'remove' && (
        <Confirm
          action={remove.action(open.one.name)}
          icon={remove.icon ?? 'trash'}
          run={() => remove.run(open.one.name)}
          done={remove.done(open.one.name)}
          onClose={close}
        >
          {remove.help(open.one)}
        </Confirm>
      )}
    </Screen>
  );
}
