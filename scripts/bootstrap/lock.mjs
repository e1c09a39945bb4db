// Two npm commands started together in a fresh clone must not install and build over each other.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export function alone(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !take(file); pause(200)) {
    const holder = Number(readIfThere(file));
    if (!isAlive(holder)) rmSync(file, { force: true });
    else if (!told) {
      console.error(`waiting for another npm command (pid ${holder}) to finish installing or building…`);
      told = true;
    }
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
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
