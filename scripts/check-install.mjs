// What `npm start` installs, by packages and megabytes: fails when it is more than the figures below. It is told from what is installed
// here, less what an installation of the product leaves out. Fails too when a clone would have to generate the database client, which takes
// all packages.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { productLock } from './bootstrap/product-lock.mjs';
import { isLeftOut } from './bootstrap/trim.mjs';

/** On Linux with x64, where Node 24 comes with the packages. */
const most = { packages: 350, megabytes: 345 };

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const { lock } = productLock(read('package.json'), read('package-lock.json'));
const there = read('node_modules/.package-lock.json').packages;
const packages = Object.keys(lock.packages).filter((place) => there[place]);
const sizes = packages.map((place) => [place, sizeOf(place)]).toSorted(([, a], [, b]) => b - a);
const megabytes = Math.ceil(sizes.reduce((sum, [, size]) => sum + size, 0) / 1e6);

console.log(`npm start installs ${packages.length} packages, ${megabytes} MB; at most ${most.packages}, ${most.megabytes} MB.`);
if (packages.length > most.packages || megabytes > most.megabytes) {
  console.log('The largest:');
  for (const [place, size] of sizes.slice(0, 15)) console.log(`  ${(size / 1e6).toFixed(1)} MB  ${place.replace('node_modules/', '')}`);
  process.exitCode = 1;
}

const client = 'libs/platform/src/generated';
const changed = spawnSync('git', ['status', '--porcelain', '--', client, 'prisma/schema'], { encoding: 'utf8' }).stdout ?? '';
if (changed.includes(client) && !changed.includes('prisma/schema')) {
  console.log(`${client} is not what prisma/schema says, and was generated anew: commit it with its .stamp.`);
  process.exitCode = 1;
}

/** Of a package, without those in it. */
function sizeOf(place) {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  let size = 0;
  const add = (folder) => {
    for (const entry of readdirSync(join(place, folder), { withFileTypes: true })) {
      const file = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory() && entry.name !== 'node_modules') add(file);
      else if (entry.isFile() && !isLeftOut(name, file)) size += statSync(join(place, file)).size;
    }
  };
  add('');
  return size;
}
