import { useEffect, useState } from 'react';

/** A page that nobody touches asks no more: its session ends, as it should, half an hour after the last request. */
const idleMs = 5 * 60_000;

/** An interval for what is asked for again and again, while somebody uses the page; false when nobody does. */
export function useWhileTouched(everyMs: number): number | false {
  return useIsTouched() ? everyMs : false;
}

function useIsTouched(): boolean {
  const [isTouched, setIsTouched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const touch = () => {
      clearTimeout(timer);
      setIsTouched(true);
      timer = setTimeout(() => setIsTouched(false), idleMs);
    };
    touch();
    document.addEventListener('pointerdown', touch, { passive: true });
    document.addEventListener('keydown', touch, { passive: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerdown', touch);
      document.removeEventListener('keydown', touch);
    };
  }, []);
  return isTouched;
}
