import type { ReactNode } from 'react';

export interface Stat {
  readonly label: string;
  readonly value: ReactNode;
  readonly unit?: string;
  readonly aside?: ReactNode;
}

/** A row of numbers. */
export function Stats({ stats }: { readonly stats: readonly Stat[] }) {
  return (
    <dl className="stats">
      {stats.map(({ label, value, unit, aside }) => (
        <div className="stat" key={label}>
          <dt>{label}</dt>
          <dd>
            {value} {unit !== undefined && <small>{unit}</small>}
            {aside !== undefined && <div className="aside">{aside}</div>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Names with what they mean. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
