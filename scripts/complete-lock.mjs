// Completes package-lock.json. npm leaves optional packages of other platforms out of a lock when it could not see them while
// it wrote it, and then `npm ci` refuses that lock. This adds an entry for each; run it (`npm run lock`) after every `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const systems = new Map(
  ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony'].map((name) => [name, name]),
);
systems.set('windows', 'win32');
const processors = new Set(['arm64', 'x64', 'ia32', 'arm', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el']);

const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = placeholder(name, version);
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? `${file} is complete` : `${file}: added ${added.length} optional packages of other platforms`);

/** Whether the lock holds what `name` means to the package at `path`, looked up as Node does: from the inside out. */
function isLocked(path, name) {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${base ? `${base}/` : ''}node_modules/${name}`]) return true;
    if (!base) return false;
  }
}

/** Platform packages carry their platform in their name; one that does not is marked as fitting nowhere. */
function placeholder(name, version) {
  const words = name.split(/[-/]/);
  const system = words.map((word) => systems.get(word.replace(/musl$/, ''))).find(Boolean);
  const processor = words.findLast((word) => processors.has(word)) ?? (words.some((word) => word.startsWith('armv')) ? 'arm' : undefined);
  const libc = name.includes('musl') ? ['musl'] : system === 'linux' && name.includes('gnu') ? ['glibc'] : undefined;
  return { version, cpu: [processor ?? 'none'], optional: true, ...(libc && { libc }), os: [system ?? 'none'] };
}
