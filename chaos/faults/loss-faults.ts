// F07, F08, F34: Redis loses the end of its file, or everything, within the documented bound; the disk of the stores is full.
import { closeSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab.js';
import type { Fault, Injected, Scene } from './fault.js';
import { bringInFlight, outage } from './in-flight.js';
import { control } from './redis-faults.js';
import { noSmallDir, plainDir, smallDir } from './store-dir.js';

/** Room for the stores and a minute of load. */
const smallMegabytes = 400;
const small = { storeDir: () => smallDir(smallMegabytes) };

export const lossFaults: readonly Fault[] = [
  { id: 'F07', title: 'Redis loses the last 512 KiB of its file, as by a power cut', inject: loseTail, ownLab: { storeDir: plainDir } },
  { id: 'F08.flush', title: 'Redis emptied while it runs', inject: flush, ownLab: {} },
  { id: 'F08.wiped', title: 'Redis comes back without its files', inject: wipe, ownLab: { storeDir: plainDir } },
  {
    id: 'F34',
    title: 'disk of Redis and Postgres full for 8 s',
    inject: fillDisk,
    mayFail: ['lookup'],
    ownLab: small,
    obstacle: noSmallDir,
  },
  {
    id: 'F34.restart',
    title: 'Redis and Postgres restarted while their disk is full',
    inject: restartOnFullDisk,
    mayFail: ['lookup'],
    ownLab: small,
    obstacle: noSmallDir,
  },
];

const lostBytes = 512 * 1024;
const sampleEveryMs = 100;
/** Calls are seen by their clients a little later than by the file. */
const slackMs = 2_000;

async function loseTail(scene: Scene): Promise<Injected> {
  const { redis } = scene.lab;
  const file = appendedFile(redisData(scene.lab));
  const sizes: { readonly at: number; readonly bytes: number }[] = [];
  const sample = (): void => void sizes.push({ at: Date.now(), bytes: statSync(file).size });
  const sampling = setInterval(sample, sampleEveryMs);
  const hit = await bringInFlight(scene, 1_000).finally(() => clearInterval(sampling));
  sample();
  const injectedAt = Date.now();
  await redis.kill('SIGKILL');
  const left = Math.max(0, statSync(file).size - lostBytes);
  truncateSync(file, left);
  await redis.restart();
  const kept = sizes.findLast(({ bytes }) => bytes <= left);
  return { injectedAt, healedAt: Date.now(), hit, loss: { from: (kept?.at ?? 0) - slackMs, isCertain: true } };
}

async function flush(scene: Scene): Promise<Injected> {
  const injected = await outage(scene, 1_000, async () => {
    using redis = control(scene.lab.redis);
    await redis.flushall();
  });
  return { ...injected, loss: { from: 0, isCertain: true } };
}

async function wipe(scene: Scene): Promise<Injected> {
  const { lab } = scene;
  const injected = await outage(scene, 1_000, async () => {
    await lab.redis.kill('SIGKILL');
    rmSync(join(redisData(lab), 'appendonlydir'), { recursive: true });
    await lab.redis.restart();
  });
  return { ...injected, loss: { from: 0, isCertain: true } };
}

const fullForMs = 8_000;

async function fillDisk(scene: Scene): Promise<Injected> {
  return outage(scene, fullForMs, async () => {
    const ballast = fill(folderOf(scene.lab));
    await sleep(fullForMs);
    rmSync(ballast);
  });
}

/** Redis answers for up to a second before it finds that it cannot write its file. */
const unnoticedMs = 1_000;

async function restartOnFullDisk(scene: Scene): Promise<Injected> {
  const { lab } = scene;
  const injected = await outage(scene, fullForMs, async () => {
    const ballast = fill(folderOf(lab));
    await sleep(1_000);
    // A store that does not start without room is started again when there is some, as a supervisor does.
    const restarts = [lab.redis, lab.postgres].map(async (store) => {
      await store.kill('SIGKILL');
      await store.restart().catch(() => undefined);
    });
    await Promise.all(restarts);
    await sleep(fullForMs);
    rmSync(ballast);
    for (const store of [lab.redis, lab.postgres]) if (store.pid === undefined) await store.restart();
  });
  return { ...injected, loss: { from: injected.injectedAt - unnoticedMs, isCertain: false } };
}

/** Writes a file until there is no room left. Gives its path. */
function fill(dir: string): string {
  const path = join(dir, 'ballast');
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (!isFull(error)) throw error;
  } finally {
    closeSync(file);
  }
  return path;
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

function folderOf({ storeDir }: Lab): string {
  if (storeDir === null) throw new Error('This fault needs a folder of its own for the stores');
  return storeDir;
}

function redisData(lab: Lab): string {
  return join(folderOf(lab), 'redis', 'data');
}

/** The file that Redis appends to. */
function appendedFile(dir: string): string {
  const folder = join(dir, 'appendonlydir');
  const [last] = readdirSync(folder)
    .filter((name) => name.endsWith('.incr.aof'))
    .toSorted()
    .toReversed();
  if (last === undefined) throw new Error(`Redis appends to no file in ${folder}`);
  return join(folder, last);
}
