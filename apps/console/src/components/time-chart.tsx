// Lines over time, drawn by uPlot. Times without a value are gaps. What it shows is also there as a table for those who do not see it.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Language } from '../language/dictionary.js';
import { formatClock } from '../language/format.js';
import { usePreferences } from '../language/preferences.js';
import { useLanguage } from '../language/use-text.js';

export interface Series {
  readonly name: string;
  /** A custom property, such as `--chart-1`. */
  readonly colour: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
}

interface TimeChartProps {
  readonly label: string;
  /** Epoch seconds, rising. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const height = 180;

export function TimeChart({ label, times, series, format }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(null);
  const language = useLanguage();
  const { theme } = usePreferences();
  /** The time that the pointer is on. */
  const [pointed, setPointed] = useState<number | null>(null);
  const names = series.map(({ name }) => name).join('|');
  const draw = useEffectEvent(
    (box: HTMLElement) => new UPlot(optionsOf(box, { series, format, language, onPoint: setPointed }), [[]], box),
  );
  useEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const drawn = draw(box);
    chart.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: box.clientWidth, height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      drawn.destroy();
      chart.current = null;
    };
    // Colours are those of the theme when it is drawn.
  }, [names, theme, language]);
  useEffect(() => {
    chart.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  }, [times, series, names, theme, language]);
  const at = pointed === null ? undefined : times[pointed];
  return (
    <div className="stack tight">
      <div className="legend">
        {series.map(({ name, colour, values }) => {
          const value = pointed === null ? values.findLast((one) => one !== null) : values[pointed];
          return (
            <span key={name}>
              <i style={{ background: `var(${colour})` }} />
              {name} <strong className="mono">{value === undefined || value === null ? '—' : format(value)}</strong>
            </span>
          );
        })}
        {at !== undefined && <span className="faint mono">{clock(at, language)}</span>}
      </div>
      <div className="chart" ref={place} role="img" aria-label={label} />
    </div>
  );
}

interface DrawnProps extends Pick<TimeChartProps, 'series' | 'format'> {
  readonly language: Language;
  readonly onPoint: (index: number | null) => void;
}

function optionsOf(box: HTMLElement, { series, format, language, onPoint }: DrawnProps): UPlot.Options {
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--text-faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  return {
    width: box.clientWidth,
    height,
    cursor: { points: { size: 6 }, y: false },
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.15 : 1] } },
    axes: [
      { ...axis, size: 28, space: 80, values: (_plot, ticks) => ticks.map((at) => clock(at, language).replace(/:00$/, '')) },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...series.map(({ name, colour: line, isFilled }) => ({
        label: name,
        stroke: colour(line),
        width: 1.5,
        points: { show: false, size: 5, fill: colour(line), filter: lonely },
        ...(isFilled && { fill: `${colour(line)}22` }),
      })),
    ],
  };
}

/** A value between two gaps is no line: it is drawn as a point. */
function lonely(plot: UPlot, index: number): number[] {
  const values = plot.data[index] ?? [];
  const isThere = (at: number) => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1));
}

function clock(seconds: number, language: Language): string {
  return formatClock(new Date(seconds * 1_000).toISOString(), language);
}
