import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../components/badge.js';
import { CodeBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { Loaded } from '../../components/loading.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { knowledgeText } from './text.js';

/** A document as it is stored: its text, never rendered as a page. */
export function DocumentDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const words = useText(knowledgeText);
  const document = useQuery({
    queryKey: ['get_document', id],
    queryFn: ({ signal }) => invoq.call('get_document', { document_id: id }, { signal }),
  });
  return (
    <Dialog title={document.data?.data.title ?? words.document} isWide onClose={onClose}>
      <Loaded query={document} lines={10}>
        {({ data }) => (
          <>
            <div className="line wrap">
              <Badge tone="accent">{data.collection}</Badge>
              {data.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </div>
            {data.truncation_info && (
              <p className="faint">{words.truncated(data.truncation_info.returned_length, data.truncation_info.original_length)}</p>
            )}
            <CodeBlock label={words.document} text={data.content} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
