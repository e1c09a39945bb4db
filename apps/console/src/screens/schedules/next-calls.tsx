import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { InvoqError, type NewSchedule } from '#lib/client';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { schedulesKey } from '../../data/schedules.js';
import { formatZoned } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { schedulesText } from './text.js';

/** Typing is previewed after this pause. */
const pauseMs = 400;

/** The first moments of a schedule, as the gateway works them out. */
export function usePreview(body: NewSchedule | null) {
  const settled = useSettled(body === null ? null : JSON.stringify(body));
  return useQuery({
    queryKey: [schedulesKey, 'preview', settled],
    queryFn: ({ signal }) => {
      const typed: NewSchedule = JSON.parse(settled ?? '');
      return invoq.schedules.preview(typed, { signal });
    },
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

function useSettled(text: string | null): string | null {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function NextCalls({ body }: { readonly body: NewSchedule | null }) {
  const words = useText(schedulesText);
  const preview = usePreview(body);
  return (
    <Panel title={words.preview}>
      <Moments preview={preview} timeZone={body?.time_zone ?? 'UTC'} />
    </Panel>
  );
}

interface MomentsProps {
  readonly preview: ReturnType<typeof usePreview>;
  readonly timeZone: string;
}

export function Moments({ preview, timeZone }: MomentsProps) {
  const words = useText(schedulesText);
  const language = useLanguage();
  if (preview.error) {
    // What is wrong with a field stands at the field.
    const isOfField = preview.error instanceof InvoqError && preview.error.details.length > 0;
    return isOfField ? <p className="faint">{words.previewHelp}</p> : <ErrorNotice error={preview.error} />;
  }
  if (!preview.data) return preview.isFetching ? <Loading lines={5} /> : <p className="faint">{words.previewHelp}</p>;
  return (
    <>
      <ol className="moments">
        {preview.data.map((at) => (
          <li key={at}>
            <span className="mono">{formatZoned(at, timeZone, language)}</span>
            <span className="faint">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ol>
      <p className="faint">{words.inZone(timeZone)}</p>
    </>
  );
}
