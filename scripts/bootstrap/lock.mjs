// Two npm commands that are started together in a fresh clone must not install and build over each other.
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Runs `work` while no other command of this clone does. Waits for one that does. A lock whose holder has died is removed. */
export async function withLock(file, work) {
  try {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    const folder = dirname(dirname(file));
    throw Object.assign(new Error(`${folder} cannot be written (${error.message}): what is installed and built is kept there`), {
      expected: true,
    });
  }
  for (let isAnnounced = false; !tryLock(file); pause(200)) {
    const holder = Number(readIfThere(file));
    if (!isAlive(holder)) rmSync(file, { force: true });
    else if (!isAnnounced) {
      console.error(`waiting for another npm command (pid ${holder}) to finish installing or building…`);
      isAnnounced = true;
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  if (!pid || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
