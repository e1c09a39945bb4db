import { Field, Select, TextInput } from '../../components/field.js';
import { useText } from '../../language/use-text.js';
import type { PartProps } from './form.js';
import { schedulesText } from './text.js';

const overlaps = ['skip', 'queue', 'allow'] as const;
const misses = ['skip', 'once', 'all'] as const;

/** What most schedules leave as it is. */
export function MoreFields({ form, faults, onChange }: PartProps) {
  const words = useText(schedulesText);
  return (
    <details open={faults.has('starts_at') || faults.has('ends_at') || faults.has('jitter_ms')}>
      <summary>{words.more}</summary>
      <div className="columns two padded">
        <Field label={words.overlap}>
          {(control) => (
            <Select
              {...control}
              value={form.overlap}
              onChange={(event) => onChange({ overlap: overlaps.find((one) => one === event.target.value) ?? 'skip' })}
            >
              {overlaps.map((one) => (
                <option key={one} value={one}>
                  {words.overlaps[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={words.missed}>
          {(control) => (
            <Select
              {...control}
              value={form.missed}
              onChange={(event) => onChange({ missed: misses.find((one) => one === event.target.value) ?? 'once' })}
            >
              {misses.map((one) => (
                <option key={one} value={one}>
                  {words.misses[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={words.starts} fault={faults.get('starts_at')}>
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={form.startsAt}
              onChange={(event) => onChange({ startsAt: event.target.value })}
            />
          )}
        </Field>
        <Field label={words.ends} fault={faults.get('ends_at')}>
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={form.endsAt}
              onChange={(event) => onChange({ endsAt: event.target.value })}
            />
          )}
        </Field>
        <Field label={`${words.jitter} (s)`} fault={faults.get('jitter_ms')}>
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              value={form.jitter}
              onChange={(event) => onChange({ jitter: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
