// The bundles of the apps while their sources are edited.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '#lib/command-line';

const answer = z.object({ ok: z.boolean(), apps: z.array(z.string()) });

export class AppBundles {
  readonly #bundler: ChildProcess;

  constructor(apps: readonly string[]) {
    this.#bundler = fork(join(root, 'scripts/bootstrap/bundle-changes.mjs'), apps, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /** Bundles what has changed. @returns the apps with other code than after the last time; null where the sources cannot be bundled */
  async renew(): Promise<readonly string[] | null> {
    const answered = once(this.#bundler, 'message');
    this.#bundler.send('bundle');
    const ended = once(this.#bundler, 'exit').then(() => Promise.reject(new Error('the bundler has ended; start again')));
    const [message]: unknown[] = await Promise.race([answered, ended]);
    const { ok, apps } = answer.parse(message);
    return ok ? apps : null;
  }

  close(): void {
    this.#bundler.kill();
  }
}
