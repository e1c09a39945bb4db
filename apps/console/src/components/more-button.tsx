import { useText } from '../language/use-text.js';
import { Button } from './button.js';
import { shared } from './text.js';

interface MoreButtonProps {
  readonly pages: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => Promise<unknown> };
}

/** Loads the next page of a list, where there is one. */
export function MoreButton({ pages }: MoreButtonProps) {
  const words = useText(shared);
  if (!pages.hasNextPage) return null;
  return (
    <div className="more">
      <Button small disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {words.more}
      </Button>
    </div>
  );
}
