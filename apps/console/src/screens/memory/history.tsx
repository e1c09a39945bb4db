import { getRouteApi } from '@tanstack/react-router';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Ago } from '../../components/time.js';
import { useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { CommitDiff } from './commit-diff.js';
import { memoryText } from './text.js';

const route = getRouteApi('/memory');
const mostCommits = 50;

/** The commits of the branch, each to be compared with what there is now. */
export function History() {
  const words = useText(memoryText);
  const search = route.useSearch();
  const { from } = search;
  const navigate = route.useNavigate();
  const commits = useMemoryQuery('list_commits', { maxResults: mostCommits });
  return (
    <Loaded query={commits}>
      {({ commits: list }) =>
        list.length === 0 ? (
          <EmptyState icon="clock" title={words.noCommits}>
            <p>{words.noCommitsHelp}</p>
          </EmptyState>
        ) : (
          <ol className="timeline">
            {list.map(({ commitId, message, committer, committedAt, changes, tags, mergedFrom }) => (
              <li key={commitId}>
                <span className={`knot ${mergedFrom === null ? 'info' : 'warn'}`} />
                <div className="stack tight">
                  <div className="line wrap">
                    <strong>{message}</strong>
                    {tags.map((tag) => (
                      <Badge key={tag} tone="accent">
                        {tag}
                      </Badge>
                    ))}
                    <span className="grow" />
                    <Button
                      small
                      aria-expanded={from === commitId}
                      onClick={() =>
                        void navigate({ to: '.', search: { ...search, from: from === commitId ? '' : commitId }, replace: true })
                      }
                    >
                      {words.compare}
                    </Button>
                  </div>
                  <span className="faint">
                    <code>{commitId.slice(0, 8)}</code> · {committer} · <Ago at={committedAt} /> · {words.changes(changes)}
                  </span>
                  {from === commitId && <CommitDiff from={commitId} />}
                </div>
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
