// Lines over time, drawn by uPlot. What it shows is also there as a table for those who do not see it.
import { useEffect, useEffectEvent, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences } from '../language/preferences.js';

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
  const { theme } = usePreferences();
  const names = series.map(({ name }) => name).join('|');
  const draw = useEffectEvent((box: HTMLElement) => new UPlot(optionsOf(box, { series, format }), [[]], box));
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
  }, [names, theme]);
  useEffect(() => {
    chart.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  }, [times, series, names, theme]);
  return (
    <div className="stack tight">
      <div className="legend">
        {series.map(({ name, colour, values }) => {
          const last = values.findLast((value) => value !== null);
          return (
            <span key={name}>
              <i style={{ background: `var(${colour})` }} />
              {name} <strong className="mono">{last === undefined || last === null ? '—' : format(last)}</strong>
            </span>
          );
        })}
      </div>
      <div className="chart" ref={place} role="img" aria-label={label} />
    </div>
  );
}

function optionsOf(box: HTMLElement, { series, format }: Pick<TimeChartProps, 'series' | 'format'>): UPlot.Options {
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
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.15 : 1] } },
    axes: [axis, { ...axis, size: 56, values: (_plot, ticks) => ticks.map(format) }],
    series: [
      {},
      ...series.map(({ name, colour: line, isFilled }) => ({
        label: name,
        stroke: colour(line),
        width: 1.5,
        spanGaps: true,
        points: { show: false },
        ...(isFilled && { fill: `${colour(line)}22` }),
      })),
    ],
  };
}
