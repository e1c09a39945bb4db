import type { IconName } from '../components/icon.js';

export interface ScreenLink {
  readonly name: 'home' | 'tools' | 'runs' | 'errors' | 'knowledge' | 'memory' | 'chat' | 'keys' | 'servers' | 'health';
  readonly to: '/' | '/tools' | '/runs' | '/errors' | '/knowledge' | '/memory' | '/chat' | '/keys' | '/servers' | '/health';
  readonly icon: IconName;
  /** Hidden from other callers, whom the gateway would refuse. */
  readonly isFor?: 'admin' | 'tenant:admin';
}

/** The screens as the navigation shows them. */
export const screenGroups = [
  [
    'watch',
    [
      { name: 'home', to: '/', icon: 'home' },
      { name: 'runs', to: '/runs', icon: 'runs' },
      { name: 'errors', to: '/errors', icon: 'errors' },
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
    'data',
    [
      { name: 'knowledge', to: '/knowledge', icon: 'knowledge' },
      { name: 'memory', to: '/memory', icon: 'memory' },
    ],
  ],
  [
    'operate',
    [
      { name: 'keys', to: '/keys', icon: 'keys' },
      { name: 'servers', to: '/servers', icon: 'servers', isFor: 'tenant:admin' },
      { name: 'health', to: '/health', icon: 'health', isFor: 'tenant:admin' },
    ],
  ],
] as const satisfies readonly (readonly [string, readonly ScreenLink[]])[];
