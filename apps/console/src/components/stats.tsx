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

interface FactsProps {
  readonly facts: readonly (readonly [string, ReactNode])[];
  /** Side by side, where there is room. */
  readonly isWide?: boolean;
}

/** Names with what they mean. */
export function Facts({ facts, isWide = false }: FactsProps) {
  return (
    <dl className={`facts ${isWide ? 'wide' : ''}`}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
