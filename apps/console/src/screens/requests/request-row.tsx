import type { InputRequest, InputState } from '#lib/client';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Ago } from '../../components/time.js';
import { mayDecide } from '../../data/input-requests.js';
import { useSession } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { requestsText } from './text.js';

export const inputTones: Readonly<Record<InputState, Tone>> = {
  open: 'info',
  accepted: 'good',
  declined: 'bad',
  cancelled: 'plain',
  expired: 'warn',
};

interface RequestRowProps {
  readonly request: InputRequest;
  /** All that is listed is open: its end is worth more than its state. */
  readonly isOpenList: boolean;
  readonly onOpen: (id: string) => void;
}

export function RequestRow({ request, isOpenList, onOpen }: RequestRowProps) {
  const words = useText(requestsText);
  const { data: session } = useSession();
  const { id, kind, message, tool_name, requested_by, created_at, expires_at, state, decided_by } = request;
  const isMine = state === 'open' && !!session && mayDecide(request, session);
  return (
    <tr>
      <td>
        <Badge tone={kind === 'approval' ? 'accent' : 'info'}>{words.kinds[kind]}</Badge>
      </td>
      <td className="told">
        <div>{message}</div>
        <code className="faint">{tool_name}</code>
      </td>
      <td className="soft">{requested_by}</td>
      <td className="faint">
        <Ago at={created_at} />
      </td>
      <td className="faint">
        {isOpenList ? (
          <Ago at={expires_at} />
        ) : (
          <>
            <Badge tone={inputTones[state]}>{words.states[state]}</Badge>
            {decided_by !== null && <div>{decided_by}</div>}
          </>
        )}
      </td>
      <td className="number">
        <Button
          small
          {...(isMine && { look: 'primary' })}
          onClick={() => onOpen(id)}
          aria-label={`${words.open(isMine)} ${tool_name}: ${message}`}
        >
          {words.open(isMine)}
        </Button>
      </td>
    </tr>
  );
}
