// Files that are edited: the changes of one moment are followed together, and one batch after the other.
import { watch, type FSWatcher } from 'chokidar';
import { once } from 'node:events';
import { printError } from '#lib/command-line';

/** Editors write several files at once, or one twice. */
const settleMs = 50;

interface WatchOptions {
  /** Whether a change of this file is followed. */
  readonly isFollowed: (path: string) => boolean;
  /** Folders and files that are not even looked at. */
  readonly ignored: (path: string) => boolean;
  /** @param since when the first of them changed, as `performance.now()` */
  readonly follow: (paths: readonly string[], since: number) => Promise<void>;
}

/** Watches folders and files, also those that editors replace by others. Resolves when it sees changes. An error of `follow` is printed. */
export async function watchChanges(paths: readonly string[], { isFollowed, ignored, follow }: WatchOptions): Promise<FSWatcher> {
  let changedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const changed = new Set<string>();
  const watcher = watch([...paths], { ignoreInitial: true, ignored });
  watcher.on('all', (_event, path) => {
    if (!isFollowed(path)) return;
    changedAt ||= performance.now();
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const [files, since] = [[...changed], changedAt];
      changed.clear();
      changedAt = 0;
      // One after the other: a change while another is followed is followed by itself.
      last = last
        .then(() => follow(files, since))
        .catch((error: unknown) => printError(error instanceof Error ? error.message : String(error)));
    }, settleMs);
  });
  await once(watcher, 'ready');
  return watcher;
}
