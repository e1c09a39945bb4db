// What is published: a row for each package.
export interface PackageSpec {
  readonly name: string;
  readonly description: string;
  /** The source of its one entry. Beside the folder `src` of the entry is the README of the package. */
  readonly entry: string;
  /** `browser`: it also runs where there is no Node, so the built-ins of Node are an error. */
  readonly platform: 'browser' | 'node';
  /** Packages that are not bundled. Those who install this package get them too, in our version. */
  readonly dependencies: readonly string[];
}

export const packages: readonly PackageSpec[] = [
  {
    name: '@invoq/client',
    description: 'Client of an Invoq gateway for Node, browsers and workers: typed calls, streams that resume, jobs, batches.',
    entry: 'libs/client/src/index.ts',
    platform: 'browser',
    dependencies: [],
  },
  {
    name: '@invoq/worker',
    description: 'Tools of your own for Invoq: contracts, handlers, and a worker that serves them from anywhere.',
    entry: 'libs/serve/src/index.ts',
    platform: 'node',
    dependencies: ['zod'],
  },
];
