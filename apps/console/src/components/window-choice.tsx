import { useText } from '../language/use-text.js';
import { windowText, type Window } from '../language/windows.js';
import { Segments } from './field.js';
import { shared } from './text.js';

interface WindowChoiceProps<Choice extends Window> {
  readonly value: Choice;
  readonly choices: readonly Choice[];
  readonly onChoose: (window: Choice) => void;
}

/** How far back a screen looks. */
export function WindowChoice<Choice extends Window>({ value, choices, onChoose }: WindowChoiceProps<Choice>) {
  const words = useText(windowText);
  const common = useText(shared);
  return (
    <Segments label={common.window} value={value} choices={choices.map((one) => [one, words.short[one]] as const)} onChoose={onChoose} />
  );
}
