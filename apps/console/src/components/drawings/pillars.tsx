import type { ReactNode } from 'react';
import { useText } from '../../language/use-text.js';
import { Badge } from '../badge.js';
import { Facts } from '../stats.js';
import { Table } from '../table.js';
import { elementOf, elements, type Element } from './elements.js';
import type { BaziChart } from './results.js';
import { drawingText } from './text.js';

const columns = ['year', 'month', 'day', 'hour'] as const;
type Pillar = BaziChart['pillars']['year'];

/** 八字: the four pillars with what belongs to each, the five elements, and the luck cycles. */
export function Pillars({ chart }: { readonly chart: BaziChart }) {
  const words = useText(drawingText);
  const row = (name: string, cell: (pillar: Pillar) => ReactNode) => (
    <tr>
      <th scope="row">{name}</th>
      {columns.map((column) => {
        const pillar = chart.pillars[column];
        return <td key={column}>{pillar ? cell(pillar) : <span className="faint">—</span>}</td>;
      })}
    </tr>
  );
  return (
    <figure className="stack" aria-label={words.pillars}>
      <div className="pillars">
        <Table columns={[words.pillars, ...columns.map((column) => words.columns[column])]}>
          {row(words.tenGod, ({ ten_god }) => (
            <span className="soft" lang="zh-CN">
              {ten_god}
            </span>
          ))}
          {row(words.stem, ({ stem }) => (
            <Glyph text={stem} />
          ))}
          {row(words.branch, ({ branch }) => (
            <Glyph text={branch} />
          ))}
          {row(words.hidden, ({ hidden_stems }) =>
            hidden_stems.map(({ stem, ten_god }) => (
              <div key={stem} lang="zh-CN">
                <span className={elementOf(stem)}>{stem}</span> <span className="faint">{ten_god}</span>
              </div>
            )),
          )}
          {row(words.nayin, ({ nayin }) => (
            <span className="soft" lang="zh-CN">
              {nayin}
            </span>
          ))}
        </Table>
      </div>
      {!chart.pillars.hour && <p className="faint">{words.unknownHour}</p>}
      <div className="columns two">
        <FiveElements counts={chart.five_elements} />
        <Facts
          facts={[
            [
              words.dayMaster,
              <span key="master" className={elementOf(chart.day_master.stem)} lang="zh-CN">
                {chart.day_master.stem}
              </span>,
            ],
            [
              words.lunarDate,
              <span key="date" lang="zh-CN">
                {chart.lunar_date}
              </span>,
            ],
            [
              words.animal,
              <span key="animal" lang="zh-CN">
                {chart.animal}
              </span>,
            ],
          ]}
        />
      </div>
      {chart.luck_cycles && (
        <div className="stack tight">
          <h2>{words.luck}</h2>
          <div className="line wrap">
            {chart.luck_cycles.map(({ from_year, from_age, pillar }) => (
              <Badge key={from_year}>
                <span lang="zh-CN">{pillar}</span> {from_year} · {words.fromAge(from_age)}
              </Badge>
            ))}
          </div>
        </div>
      )}
    </figure>
  );
}

function Glyph({ text }: { readonly text: string }) {
  const words = useText(drawingText);
  const element = elementOf(text);
  return (
    <>
      <div className={`glyph ${element}`} lang="zh-CN">
        {text}
      </div>
      {element !== '' && <span className="faint">{words.elements[element]}</span>}
    </>
  );
}

function FiveElements({ counts }: { readonly counts: Readonly<Record<Element, number>> }) {
  const words = useText(drawingText);
  const most = Math.max(1, ...Object.values(counts));
  return (
    <div className="stack tight">
      <h2>{words.fiveElements}</h2>
      <ul className="bar-list">
        {elements.map((element) => (
          <li key={element}>
            <span className={element}>{words.elements[element]}</span>
            <span className="meter" aria-hidden="true">
              <i style={{ width: `${(counts[element] / most) * 100}%`, background: `var(--${element})` }} />
            </span>
            <span className="number">{counts[element]}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
