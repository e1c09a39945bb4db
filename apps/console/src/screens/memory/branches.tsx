import { useState, type FormEvent } from 'react';
import type { ProductTools } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { TextInput } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Ago } from '../../components/time.js';
import { useMemoryChange, useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { MergeConflicts } from './merge-conflicts.js';
import { memoryText } from './text.js';

/** The lines of history: begin one, go to one, bring one into this one. */
export function Branches() {
  const words = useText(memoryText);
  const branches = useMemoryQuery('list_branches', {});
  const create = useMemoryChange('create_branch');
  const change = useMemoryChange('switch_branch');
  const merge = useMemoryChange('merge_branch');
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name: name.trim(), switchTo: true }, { onSuccess: () => setName('') });
  };
  const error = create.error ?? change.error ?? merge.error;
  return (
    <div className="stack">
      <form className="line" onSubmit={submit}>
        <TextInput
          aria-label={words.branchName}
          placeholder={words.branchName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" icon="branch" disabled={create.isPending || name.trim() === ''}>
          {words.newBranch}
        </Button>
      </form>
      {error && <ErrorNotice error={error} />}
      {merge.data?.merged && <Notice tone="good">{words.merged(merge.data.mergedNodes.length)}</Notice>}
      {merge.data && merge.data.conflicts.length > 0 && (
        <MergeConflicts
          ours={branches.data?.current ?? ''}
          theirs={merge.variables?.source ?? ''}
          conflicts={merge.data.conflicts}
          onPrefer={(prefer) => merge.mutate({ source: merge.variables?.source ?? '', prefer })}
        />
      )}
      <Loaded query={branches}>
        {({ current, branches: list }) => (
          <ul className="stack tight">
            {list.map((branch) => (
              <BranchLine
                key={branch.name}
                branch={branch}
                isCurrent={branch.name === current}
                onSwitch={() => change.mutate({ name: branch.name })}
                onMerge={() => merge.mutate({ source: branch.name })}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

interface BranchLineProps {
  readonly branch: ProductTools['list_branches']['output']['branches'][number];
  readonly isCurrent: boolean;
  readonly onSwitch: () => void;
  readonly onMerge: () => void;
}

function BranchLine({ branch, isCurrent, onSwitch, onMerge }: BranchLineProps) {
  const words = useText(memoryText);
  return (
    <li className="line wrap">
      <strong>{branch.name}</strong>
      {isCurrent && <Badge tone="good">{words.current}</Badge>}
      <span className="faint">
        <code>{branch.headCommitId?.slice(0, 8) ?? '—'}</code> · <Ago at={branch.createdAt} />
      </span>
      <span className="grow" />
      {!isCurrent && (
        <>
          <Button small onClick={onMerge}>
            {words.merge(branch.name)}
          </Button>
          <Button small onClick={onSwitch}>
            {words.switchTo} {branch.name}
          </Button>
        </>
      )}
    </li>
  );
}
