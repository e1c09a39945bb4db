import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';

/** What stands where there is nothing yet: why, and what to do. */
export function EmptyState({ icon, title, children }: { readonly icon: IconName; readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
