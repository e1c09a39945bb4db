import type { Registration } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { serversText } from './text.js';

/** Definitions of a server that break a rule, with the rule. */
export function RejectedDefinitions({ rejected }: Pick<Registration, 'rejected'>) {
  const words = useText(serversText);
  return rejected.map(({ tool, reason }) => (
    <p key={tool} className="fault">
      {words.rejected}: <code>{tool}</code> {reason}
    </p>
  ));
}
