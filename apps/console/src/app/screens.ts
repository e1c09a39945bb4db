import type { Scope } from '#lib/contracts';
import type { IconName } from '../components/icon.js';

export interface ScreenLink {
  readonly name:
    | 'home'
    | 'calls'
    | 'errors'
    | 'requests'
    | 'tools'
    | 'chat'
    | 'schedules'
    | 'batches'
    | 'webhooks'
    | 'knowledge'
    | 'memory'
    | 'usage'
    | 'budgets'
    | 'policies'
    | 'flows'
    | 'pauses'
    | 'audit'
    | 'providers'
    | 'connections'
    | 'keys'
    | 'servers'
    | 'health';
  readonly to: '/' | `/${Exclude<ScreenLink['name'], 'home'>}`;
  readonly icon: IconName;
  /** Hidden from other callers, whom the gateway would refuse. */
  readonly isFor?: Scope;
}

/** The screens as the navigation shows them. */
export const screenGroups = [
  [
    'watch',
    [
      { name: 'home', to: '/', icon: 'home' },
      { name: 'calls', to: '/calls', icon: 'calls' },
      { name: 'errors', to: '/errors', icon: 'errors', isFor: 'tenant:admin' },
      { name: 'requests', to: '/requests', icon: 'requests' },
    ],
  ],
  [
    'build',
    [
      { name: 'tools', to: '/tools', icon: 'tools' },
      { name: 'chat', to: '/chat', icon: 'chat' },
    ],
  ],
  [
    'automate',
    [
      { name: 'schedules', to: '/schedules', icon: 'clock', isFor: 'schedules' },
      { name: 'batches', to: '/batches', icon: 'batches' },
      { name: 'webhooks', to: '/webhooks', icon: 'webhooks', isFor: 'webhooks' },
    ],
  ],
  [
    'data',
    [
      { name: 'knowledge', to: '/knowledge', icon: 'knowledge' },
      { name: 'memory', to: '/memory', icon: 'memory' },
      { name: 'connections', to: '/connections', icon: 'connections' },
    ],
  ],
  [
    'operate',
    [
      { name: 'usage', to: '/usage', icon: 'usage' },
      { name: 'budgets', to: '/budgets', icon: 'budgets', isFor: 'tenant:admin' },
      { name: 'policies', to: '/policies', icon: 'policies', isFor: 'tenant:admin' },
      { name: 'flows', to: '/flows', icon: 'flows', isFor: 'tenant:admin' },
      { name: 'pauses', to: '/pauses', icon: 'pause', isFor: 'tenant:admin' },
      { name: 'keys', to: '/keys', icon: 'keys', isFor: 'tenant:admin' },
      { name: 'providers', to: '/providers', icon: 'providers', isFor: 'tenant:admin' },
      { name: 'servers', to: '/servers', icon: 'servers', isFor: 'tenant:admin' },
      { name: 'audit', to: '/audit', icon: 'audit', isFor: 'tenant:admin' },
      { name: 'health', to: '/health', icon: 'health', isFor: 'tenant:admin' },
    ],
  ],
] as const satisfies readonly (readonly [string, readonly ScreenLink[]])[];
