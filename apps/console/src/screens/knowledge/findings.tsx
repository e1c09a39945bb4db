import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProductTools } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Highlighted } from '../../components/highlighted.js';
import { Loaded } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { Panel } from '../../components/panel.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { knowledgeText } from './text.js';

type Finding = ProductTools['search_knowledge']['output']['results'][number];
const mostResults = 10;

interface FindingsProps {
  readonly query: string;
  readonly collections: readonly string[];
  readonly onRead: (documentId: string) => void;
}

/** Sections that answer a question, with what decided their rank. Of several collections the surest come first. */
export function Findings({ query, collections, onRead }: FindingsProps) {
  const words = useText(knowledgeText);
  const answer = useQuery({
    queryKey: ['search_knowledge', query, collections],
    queryFn: ({ signal }) => Promise.all(collections.map((collection) => searchOne(query, collection, signal))),
  });
  return (
    <Loaded query={answer} lines={8}>
      {(answers) => {
        const all = answers.flatMap(({ data, collection }) => data.results.map((finding) => ({ finding, collection })));
        // Those of one have its own order.
        if (answers.length > 1) all.sort((one, other) => other.finding.confidence_score - one.finding.confidence_score);
        const found = all.slice(0, mostResults);
        const sections = answers.reduce((sum, { data }) => sum + data.total_count, 0);
        const slowestMs = Math.max(...answers.map(({ data }) => data.search_time_ms), 0);
        return (
          <>
            <div className="line spread wrap faint">
              <span>{words.found(found.length, sections, slowestMs)}</span>
              {answers.map(({ metadata, collection }) =>
                metadata.job_id === undefined ? null : (
                  <Link key={collection} to="/calls/$jobId" params={{ jobId: metadata.job_id }}>
                    {words.openCall} {answers.length > 1 && collection}
                  </Link>
                ),
              )}
            </div>
            {[...new Set(answers.flatMap(({ metadata }) => metadata.warnings ?? []))].map((warning) => (
              <p key={warning} className="faint">
                {warning}
              </p>
            ))}
            {found.length === 0 && (
              <EmptyState icon="search" title={words.nothing}>
                <p>{words.nothingHelp}</p>
              </EmptyState>
            )}
            {found.map(({ finding, collection }, at) => (
              <FindingCard
                key={`${collection} ${finding.document_id} ${finding.title}`}
                finding={finding}
                rank={at + 1}
                onRead={onRead}
                collection={answers.length > 1 ? collection : null}
              />
            ))}
          </>
        );
      }}
    </Loaded>
  );
}

async function searchOne(query: string, collection: string, signal: AbortSignal) {
  const { data, metadata } = await invoq.call('search_knowledge', { query, collection, max_results: mostResults }, { signal });
  return { data, metadata, collection };
}

function FindingCard({
  finding,
  rank,
  collection,
  onRead,
}: {
  readonly finding: Finding;
  readonly rank: number;
  /** Null where all are of one. */
  readonly collection: string | null;
  readonly onRead: (id: string) => void;
}) {
  const words = useText(knowledgeText);
  const { title, title_en, content, source, page, highlight, confidence_score, last_updated, tags, document_id } = finding;
  return (
    <Panel
      title={
        <>
          {rank}. {title} {title_en !== undefined && title_en !== title && <span className="faint">{title_en}</span>}
        </>
      }
      actions={
        <>
          {collection !== null && <Badge>{collection}</Badge>}
          <Button small onClick={() => onRead(document_id)}>
            {words.read}
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <div className="line" title={words.confidenceHelp}>
          <span className="faint">{words.confidence}</span>
          <div style={{ width: 120 }}>
            <Meter label={words.confidence} value={confidence_score} max={1} tone={confidence_score >= 0.6 ? 'good' : 'warn'} />
          </div>
          <strong className="number">{confidence_score.toFixed(2)}</strong>
        </div>
        <p>
          <Highlighted text={highlight.snippet || content} words={highlight.matches} />
        </p>
        <p className="faint">
          {words.page} {page} · {words.source} {source} · {words.updated} <Ago at={last_updated} />
        </p>
        <details>
          <summary>{words.why}</summary>
          <div className="stack tight" style={{ paddingTop: 'var(--s2)' }}>
            <p className="soft">{highlight.matches.length > 0 ? words.matched : words.noWords}</p>
            <div className="line wrap">
              {highlight.matches.map((match) => (
                <Badge key={match} tone="accent">
                  {match}
                </Badge>
              ))}
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </div>
            <p>{content}</p>
          </div>
        </details>
      </div>
    </Panel>
  );
}
