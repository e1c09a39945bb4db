import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { Panel } from '../../components/panel.js';
import { Facts } from '../../components/stats.js';
import { Ago } from '../../components/time.js';
import { api } from '../../data/api.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { limitsText } from './limits-text.js';

/** What the caller has used, day by day, against what it may use. */
export function LimitsView() {
  const words = useText(limitsText);
  const language = useLanguage();
  const usage = useQuery({ queryKey: ['usage'], queryFn: api.usage });
  const count = (value: number | null) => (value === null ? words.noLimit : formatCount(value, language));
  return (
    <Loaded query={usage}>
      {({ calls, chat, rate_limit, tier }) => (
        <div className="columns two">
          <Panel title={words.calls}>
            <ul className="stack tight">
              {calls.days.map(({ day, used }) => (
                <li key={day} className="usage-day">
                  <span className="mono faint">{day.slice(5)}</span>
                  <Meter label={`${words.calls} ${day}`} value={used} max={calls.limit} />
                  <span className="number">{formatCount(used, language)}</span>
                </li>
              ))}
            </ul>
            <p className="faint">
              {words.callsHelp(formatCount(calls.days[0]?.used ?? 0, language), formatCount(calls.limit, language))} · {words.resets}{' '}
              <Ago at={calls.resets_at} />
            </p>
          </Panel>
          <Panel title={words.chat}>
            <div className="stack">
              <Facts
                facts={[
                  [words.tier, tier],
                  [words.rate, count(rate_limit)],
                  [words.conversations, `${count(chat.conversations.used)} / ${count(chat.conversations.limit)}`],
                  [words.tokens, `${count(chat.tokens.used)} / ${count(chat.tokens.limit)}`],
                  [words.resets, <Ago key="resets" at={chat.resets_at} />],
                ]}
              />
            </div>
          </Panel>
        </div>
      )}
    </Loaded>
  );
}
