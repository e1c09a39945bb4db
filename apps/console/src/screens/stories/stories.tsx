// Every component in every state, in both languages and themes side by side: to look at after a change, and for the tests to check.
import { useState, type ReactNode } from 'react';
import { Screen } from '../../components/screen.js';
import { Segments } from '../../components/field.js';
import { languages, type Language } from '../../language/dictionary.js';
import { LanguageContext } from '../../language/use-text.js';
import { ChartStories } from './chart-stories.js';
import { ControlStories } from './control-stories.js';
import { CallStories } from './call-stories.js';
import { StateStories } from './state-stories.js';

const themes = ['light', 'dark'] as const;
const groups = { states: StateStories, controls: ControlStories, calls: CallStories, charts: ChartStories } as const;
type Group = keyof typeof groups;
const groupNames: readonly Group[] = ['states', 'controls', 'calls', 'charts'];

export function Stories() {
  const [group, setGroup] = useState<Group>('states');
  const Shown = groups[group];
  return (
    <Screen
      title="Stories"
      actions={<Segments label="Group" value={group} choices={groupNames.map((name) => [name, name] as const)} onChoose={setGroup} />}
    >
      <div className="columns two">
        {languages.flatMap((language) =>
          themes.map((theme) => (
            <Frame key={language + theme} language={language} theme={theme}>
              <Shown />
            </Frame>
          )),
        )}
      </div>
    </Screen>
  );
}

function Frame({ language, theme, children }: { readonly language: Language; readonly theme: string; readonly children: ReactNode }) {
  return (
    <section
      lang={language}
      data-theme={theme}
      aria-label={`${language} ${theme}`}
      className="stack"
      style={{ background: 'var(--canvas)', color: 'var(--text)', padding: 'var(--s4)', borderRadius: 'var(--radius)' }}
    >
      <LanguageContext value={language}>{children}</LanguageContext>
    </section>
  );
}
