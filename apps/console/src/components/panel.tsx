import { useId, type ReactNode } from 'react';

interface PanelProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  /** False for tables and lists, which reach the edges. */
  readonly padded?: boolean;
  readonly children: ReactNode;
}

export function Panel({ title, actions, padded = true, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" {...(title !== undefined && { 'aria-labelledby': id })}>
      {title !== undefined && (
        <header>
          <h2 id={id}>{title}</h2>
          {actions !== undefined && <div className="actions">{actions}</div>}
        </header>
      )}
      {padded ? <div className="inside">{children}</div> : children}
    </section>
  );
}
