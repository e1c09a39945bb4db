// What the tools of Prometheus say of the files in ops/.
import { spawnSync } from 'node:child_process';
import { CommandError, root } from '#lib/command-line';
import { installDebian } from '../provision/debian.js';
import { findProgram } from '../provision/redis-binary.js';

/** Throws a CommandError with what a tool says. */
export function checkFiles(): Promise<void> {
  const promtool = toolOf('promtool', 'prometheus');
  const amtool = toolOf('amtool', 'prometheus-alertmanager');
  const haproxy = toolOf('haproxy', 'haproxy');
  check(promtool, ['check', 'rules', 'ops/alerts.yml']);
  check(promtool, ['test', 'rules', 'ops/alerts.test.yml']);
  // Not that of Kubernetes: Debian's Prometheus is built without its discovery.
  check(promtool, ['check', 'config', '--syntax-only', 'ops/prometheus.yml']);
  check(amtool, ['check-config', 'ops/alertmanager.yml']);
  check(haproxy, ['-c', '-f', 'ops/haproxy.cfg']);
  return Promise.resolve();
}

/** Path of a program; Debian's is installed where it is missing. Throws a CommandError that names the package. */
export function toolOf(name: string, debian: string): string {
  const there = findProgram(name);
  if (there) return there;
  installDebian(debian);
  const installed = findProgram(name);
  if (!installed) throw new CommandError(`there is no ${name} here and none could be installed. Install the package ${debian}.`);
  return installed;
}

function check(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new CommandError(`${program} ${args.join(' ')}:\n${stdout}${stderr}`);
}
