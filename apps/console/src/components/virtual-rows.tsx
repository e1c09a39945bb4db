import { useElementScrollRestoration } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import { useWalked } from './use-walked.js';

interface VirtualRowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly rowHeight?: number;
  /** CSS height of the list. */
  readonly height: string;
  readonly renderRow: (item: Item, index: number) => ReactNode;
  /** Whether `j` and `k` walk through its rows from anywhere on the page: for the list that a screen is about. */
  readonly isWalked?: boolean;
  /** Called when the end comes into sight. */
  readonly onEnd?: () => void;
}

/** A list that draws only the rows in sight, so that 10,000 of them stay smooth. */
export function VirtualRows<Item>({
  label,
  items,
  keyOf,
  rowHeight = 38,
  height,
  renderRow,
  isWalked = false,
  onEnd,
}: VirtualRowsProps<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const left = useElementScrollRestoration({ id: label });
  // Its rows are drawn here, and handed to nobody who would keep them.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    initialOffset: left?.scrollY ?? 0,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  useWalked(box, isWalked, () => rows.range?.startIndex ?? 0);
  useEffect(() => rows.measure(), [rows, rowHeight]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 1 && items.length > 0) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div
      ref={box}
      className="rows"
      role="list"
      aria-label={label}
      data-scroll-restoration-id={label}
      style={{ maxHeight: height }}
      tabIndex={0}
      {...(isWalked && { 'aria-keyshortcuts': 'j k' })}
    >
      <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <div
                key={key}
                role="listitem"
                aria-setsize={items.length}
                aria-posinset={index + 1}
                style={{ position: 'absolute', insetInline: 0, transform: `translateY(${start}px)`, height: rowHeight }}
              >
                {renderRow(item, index)}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
