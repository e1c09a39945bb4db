import { useEffect, useRef } from 'react';

/**
 * Takes values one by one, and gives them on together, now and then: however many come, the page is drawn once.
 * @param key of what the values are: those that wait when it changes are given to nobody
 */
export function useBatches<Value>(key: string | null, everyMs: number, take: (values: readonly Value[]) => void): (value: Value) => void {
  const waiting = useRef<Value[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      waiting.current = [];
    };
  }, [key]);
  return (value) => {
    waiting.current.push(value);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      take(waiting.current.splice(0));
    }, everyMs);
  };
}
