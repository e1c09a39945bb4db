import { Icon } from '../components/icon.js';
import { Segments } from '../components/field.js';
import { setPreferences, usePreferences, type Theme } from '../language/preferences.js';
import { useText } from '../language/use-text.js';
import { shellText } from './text.js';

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

/** Theme and language. */
export function Preferences() {
  const words = useText(shellText);
  const { theme, language } = usePreferences();
  const choice = (name: Theme) =>
    [
      name,
      <span key={name} title={words.themes[name]} className="line">
        <Icon name={themeIcons[name]} />
        <span className="hidden-visually">{words.themes[name]}</span>
      </span>,
    ] as const;
  return (
    <div className="line spread">
      <Segments
        label={words.theme}
        value={theme}
        choices={[choice('system'), choice('light'), choice('dark')]}
        onChoose={(chosen) => setPreferences({ theme: chosen })}
      />
      <Segments
        label={words.language}
        value={language}
        choices={[
          [
            'en',
            <span key="en" lang="en">
              EN
            </span>,
          ],
          [
            'zh-CN',
            <span key="zh" lang="zh-CN">
              中
            </span>,
          ],
        ]}
        onChoose={(chosen) => setPreferences({ language: chosen })}
      />
    </div>
  );
}
