import type { Schedule } from '#lib/client';
import { Badge, CodeBadge, type Tone } from '../../components/badge.js';
import { useText } from '../../language/use-text.js';
import { schedulesText } from './text.js';

const tones: Readonly<Record<Schedule['state'], Tone>> = { active: 'good', paused: 'plain', stopped: 'bad', ended: 'plain' };

export function ScheduleState({ schedule: { state, problem } }: { readonly schedule: Schedule }) {
  const words = useText(schedulesText);
  return (
    <span className="line wrap">
      <Badge tone={tones[state]}>{words.states[state]}</Badge>
      {problem && (
        <span title={problem.message}>
          <CodeBadge code={problem.code} />
        </span>
      )}
    </span>
  );
}
