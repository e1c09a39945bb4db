// The part of a lock that the product needs. `npm ci --omit=dev` installs more: a development package that is also an optional peer of one
// of the product's, which is how the Prisma CLI with its Studio, and TypeScript, came along.

/** A manifest and a lock without development packages. */
export function productLock(manifest, lock) {
  const { devDependencies: _dev, ...product } = manifest;
  const { devDependencies: _lockedDev, ...root } = lock.packages[''];
  const needed = neededBy(lock.packages, root);
  const packages = Object.fromEntries(
    [...needed].toSorted((a, b) => (a < b ? -1 : 1)).map((path) => [path, withoutTypes(lock.packages[path])]),
  );
  return { manifest: product, lock: { ...lock, packages: { '': root, ...packages } } };
}

/** The places of all packages that the root reaches, without optional peers and types. */
function neededBy(packages, root) {
  const needed = new Set();
  const waiting = Object.keys({ ...root.dependencies, ...root.optionalDependencies }).map((name) => placeOf(packages, '', name));
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (needed.has(place)) continue;
    needed.add(place);
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = withoutTypes(packages[place]);
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = placeOf(packages, place, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  return needed;
}

/** npm takes from the lock what a package depends on. */
function withoutTypes(entry) {
  const without = (names = {}) =>
    Object.fromEntries(Object.entries(names).filter(([name]) => !name.startsWith('@types/') && name !== '@swc/types'));
  return { ...entry, dependencies: without(entry.dependencies), peerDependencies: without(entry.peerDependencies) };
}

/** Where Node finds a package: from the inside out. */
function placeOf(packages, from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = `${base ? `${base}/` : ''}node_modules/${name}`;
    if (packages[place]) return place;
    if (!base) return undefined;
  }
}
