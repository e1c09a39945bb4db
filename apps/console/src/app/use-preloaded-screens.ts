import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** The first screen comes first. */
const afterMs = 2_000;

/** Loads the scripts of all screens one by one while nothing else is done, so that a gateway that is away keeps nobody from a screen. */
export function usePreloadedScreens(): void {
  const router = useRouter();
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      for (const route of Object.values(router.routesById)) {
        if (leaving.signal.aborted) return;
        await router.loadRouteChunk(route);
      }
    };
    // What could not be loaded now is loaded when somebody goes there.
    const timer = setTimeout(() => void load().catch(() => undefined), afterMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [router]);
}
