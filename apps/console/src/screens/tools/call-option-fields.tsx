import { IconButton } from '../../components/button.js';
import { Checkbox, Field, TextInput } from '../../components/field.js';
import { useText } from '../../language/use-text.js';
import type { ChosenOptions } from './call-options.js';
import { playgroundText } from './playground-text.js';

export function CallOptionFields({
  options,
  onChange,
}: {
  readonly options: ChosenOptions;
  readonly onChange: (options: ChosenOptions) => void;
}) {
  const words = useText(playgroundText);
  return (
    <details>
      <summary>{words.options}</summary>
      <div className="stack" style={{ paddingTop: 'var(--s3)' }}>
        <div className="columns two">
          <Field label={words.idempotencyKey} help={words.idempotencyHelp}>
            {(control) => (
              <div className="line">
                <TextInput
                  {...control}
                  value={options.idempotencyKey}
                  maxLength={255}
                  onChange={(event) => onChange({ ...options, idempotencyKey: event.target.value })}
                />
                <IconButton
                  icon="refresh"
                  label={words.newKey}
                  onClick={() => onChange({ ...options, idempotencyKey: crypto.randomUUID() })}
                />
              </div>
            )}
          </Field>
          <Field label={words.sessionId} help={words.sessionHelp}>
            {(control) => (
              <TextInput
                {...control}
                value={options.sessionId}
                onChange={(event) => onChange({ ...options, sessionId: event.target.value })}
              />
            )}
          </Field>
        </div>
        <Checkbox label={words.debug} checked={options.debug} onChange={() => onChange({ ...options, debug: !options.debug })} />
        <Checkbox label={words.fresh} checked={options.fresh} onChange={() => onChange({ ...options, fresh: !options.fresh })} />
      </div>
    </details>
  );
}
