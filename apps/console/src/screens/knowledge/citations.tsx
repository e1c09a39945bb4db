import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { knowledgeText } from './text.js';

const mostCitations = 8;

/** Whether a claim is supported, and by what. */
export function Citations({ claim }: { readonly claim: string }) {
  const words = useText(knowledgeText);
  const answer = useQuery({
    queryKey: ['citation_helper', claim],
    queryFn: ({ signal }) => invoq.call('citation_helper', { claim, top_k: mostCitations }, { signal }),
  });
  return (
    <Loaded query={answer} lines={6}>
      {({ data }) => (
        <>
          <Notice tone={data.grounded ? 'good' : 'warn'}>
            {data.grounded ? words.grounded : words.notGrounded}
            {data.fallback && (
              <span className="line wrap">
                {words.instead}
                {data.fallback.map((one) => (
                  <Badge key={one}>{one}</Badge>
                ))}
              </span>
            )}
          </Notice>
          {data.citations.map(({ title, url, section, confidence }) => (
            <Panel key={url} title={title}>
              <div className="stack tight">
                <div className="line">
                  <div style={{ width: 120 }}>
                    <Meter label={words.confidence} value={confidence} max={1} tone={confidence >= 0.6 ? 'good' : 'warn'} />
                  </div>
                  <strong className="number">{confidence.toFixed(2)}</strong>
                </div>
                <p className="faint">
                  {section} · <code>{url}</code>
                </p>
              </div>
            </Panel>
          ))}
        </>
      )}
    </Loaded>
  );
}
