import { useEffect, type ReactNode } from 'react';

interface ScreenProps {
  readonly title: string;
  /** Before the title, such as the way back. */
  readonly lead?: ReactNode;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every screen: its title is that of the page too. */
export function Screen({ title, lead, aside, actions, children }: ScreenProps) {
  useEffect(() => {
    document.title = `${title} · Invoq`;
  }, [title]);
  return (
    <div className="screen">
      <header className="screen-head">
        {lead}
        <h1 className="truncate">{title}</h1>
        {aside}
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
