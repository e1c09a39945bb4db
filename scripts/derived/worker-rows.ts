// What deployments know of each worker, written from its domain and its settings: rows of Nest, of Compose, of Redis, of Prometheus and of
// the chart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '#lib/command-line';
import { domains, type Domain } from '#lib/contracts';
import { workerSettings } from '#lib/platform';
import { settingsOf } from '../app-settings.js';

/** A worker, as a deployment sees it. */
export interface DeployedWorker {
  readonly domain: Domain;
  /** The settings that it reads besides those of every worker. */
  readonly settings: readonly string[];
}

interface Part {
  readonly file: string;
  /** The text before it and after it, which stay. */
  readonly from: string;
  readonly to: string;
  readonly rows: (worker: DeployedWorker) => readonly string[];
}

const secretsMissing = 'set the secrets in .env; .env.example says how';
/** What Compose sets itself, because other parts of it depend on it. Any other setting has the value of .env. */
const valuesOfCompose: Readonly<Record<string, string>> = {
  // Calls of a turn go on while gateways are replaced.
  INVOQ_URL: 'http://balancer:8080',
  PUBLIC_URL: '${PUBLIC_URL:-http://127.0.0.1:${INVOQ_PORT:-3000}}',
};
/** What the chart sets itself. */
const ofTheChart = ['INVOQ_URL'];
const end = '# End of what is written.';

const parts: readonly Part[] = [
  { file: 'docker-compose.yml', from: '  # Workers: `npm run format` writes them.\n', to: `  ${end}\n`, rows: serviceOf },
  {
    file: 'docker-compose.yml',
    from: '      # Of workers: `npm run format` writes them.\n',
    to: `      ${end}\n`,
    rows: ({ domain }) => [`      ${passwordOf(domain)}:`],
  },
  { file: 'ops/redis-users.sh', from: '# Workers: `npm run format` writes them.\n', to: `${end}\n`, rows: userOf },
  {
    file: 'ops/prometheus.yml',
    from: '          # `npm run format` writes these.\n',
    to: '        type: A\n',
    rows: ({ domain }) => [`          - ${workerOf(domain)}`],
  },
  { file: 'deploy/helm/invoq/apps.yaml', from: 'workers: # `npm run format` writes these.\n', to: '', rows: factsOf },
  {
    file: '.env.example',
    from: 'REDIS_GATEWAY \\\n',
    to: '#   ; do echo',
    rows: ({ domain }) => [`#   ${passwordOf(domain).replace('_PASSWORD', '')} \\`],
  },
  {
    file: '.env.example',
    from: '#REDIS_GATEWAY_PASSWORD=\n',
    to: '\n# --- Callers',
    rows: ({ domain }) => [`#${passwordOf(domain)}=`],
  },
];

/** All workers, by name. */
export function deployedWorkers(): readonly DeployedWorker[] {
  return Object.values<Domain>(domains)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((domain) => ({
      domain,
      settings: Object.keys(settingsOf(workerOf(domain))).filter((name) => !Object.hasOwn(workerSettings, name)),
    }));
}

/** Files with their rows as they should be. @param read the text of a file. Throws a CommandError where a file lacks the place of its rows. */
export function withWorkerRows(workers: readonly DeployedWorker[], read: (file: string) => string): ReadonlyMap<string, string> {
  const texts = new Map([['nest-cli.json', nestProjects(workers, read('nest-cli.json'))]]);
  for (const part of parts) texts.set(part.file, withPart(part, workers, texts.get(part.file) ?? read(part.file)));
  return texts;
}

/** The files of a repository whose rows are not as they should be, and their texts as they should be. */
export function staleWorkerRows(root: string): ReadonlyMap<string, string> {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  return new Map([...withWorkerRows(deployedWorkers(), read)].filter(([file, text]) => read(file) !== text));
}

function withPart({ file, from, to, rows }: Part, workers: readonly DeployedWorker[], text: string): string {
  const start = text.indexOf(from);
  const stop = to === '' ? text.length : text.indexOf(to, start);
  if (start < 0 || stop < 0) throw new CommandError(`${file} has no place for its workers: between "${from.trim()}" and "${to.trim()}"`);
  const lines = workers.flatMap(rows).map((line) => `${line}\n`);
  return text.slice(0, start + from.length) + lines.join('') + text.slice(stop);
}

function nestProjects(workers: readonly DeployedWorker[], text: string): string {
  const cli: object = JSON.parse(text);
  const project = (name: string) => ({ type: 'application', root: `apps/${name}`, sourceRoot: `apps/${name}/src`, entryFile: 'main' });
  const names = ['gateway', ...workers.map(({ domain }) => workerOf(domain))];
  const projects = Object.fromEntries(names.map((name) => [name, project(name)]));
  // As the formatter has it: short lists of texts are on one line.
  return `${JSON.stringify({ ...cli, projects }, null, 2).replaceAll(/\[\s+("[^[\]]*")\s+\]/g, '[$1]')}\n`;
}

function serviceOf({ domain, settings }: DeployedWorker): readonly string[] {
  const name = workerOf(domain);
  return [
    `  ${name}:`,
    '    <<: *app',
    '    environment:',
    '      <<: *worker-settings',
    `      APP: ${name}`,
    `      REDIS_URL: redis://${name}:\${${passwordOf(domain)}:?${secretsMissing}}@redis:6379`,
    ...(domain.unpooledDatabase ? ['      DATABASE_URL: *app-database'] : []),
    ...settings.map((setting) => `      ${setting}: ${valuesOfCompose[setting] ?? ''}`.trimEnd()),
    '',
  ];
}

function userOf({ domain }: DeployedWorker): readonly string[] {
  const rights = (domain.redisRights ?? []).map((right) => right.replace('invoq', '$namespace')).join(' ');
  return [`worker ${domain.name} "\${${passwordOf(domain)}:?}"${rights === '' ? '' : ` "${rights}"`}`];
}

function factsOf({ domain, settings }: DeployedWorker): readonly string[] {
  const plain = ['WORKER_CONCURRENCY', ...settings.filter((name) => !isSecret(name) && !ofTheChart.includes(name))];
  return [
    `  ${domain.name}:`,
    `    concurrency: ${domain.concurrency}`,
    `    outward: ${domain.outward ?? false}`,
    ...listed('settings', plain),
    ...listed('secrets', settings.filter(isSecret)),
  ];
}

function listed(key: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [`    ${key}: []`] : [`    ${key}:`, ...names.map((name) => `      - ${name}`)];
}

function isSecret(name: string): boolean {
  return /(_KEY|SECRET|PASSWORD)$|DATABASE_URL$/.test(name);
}

function passwordOf({ name }: Domain): string {
  return `REDIS_${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}

function workerOf({ name }: Domain): string {
  return `${name}-worker`;
}
