import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A package that no installation needs, and that a setting asks for. */
export interface OptionalPackage {
  readonly name: string;
  /** Where a clone and the image have it, such as `deploy/local-models`. With the package `invoq` it is installed beside that. */
  readonly folder: string;
}

/** What loads an optional package, from where it is installed. Throws an error that says how to install it, with the places as its cause. */
export function requireOptional({ name, folder }: OptionalPackage): NodeJS.Require {
  const places = [import.meta.url, join(process.cwd(), folder, 'package.json'), join(process.cwd(), 'package.json')];
  const causes: unknown[] = [];
  for (const place of places) {
    const require = createRequire(place);
    try {
      require.resolve(name);
      return require;
    } catch (error) {
      causes.push(error);
    }
  }
  throw new Error(`${name} is not installed: npm ci in ${folder}, or npm install ${name} beside the package invoq`, {
    cause: new AggregateError(causes),
  });
}
