import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.js';
import { useText } from '../../language/use-text.js';
import { homeText } from './text.js';

/** What an empty system says for itself. */
export function FirstCall() {
  const words = useText(homeText);
  return (
    <EmptyState icon="play" title={words.welcome}>
      <p>{words.welcomeHelp}</p>
      <div className="line wrap">
        <Link className="button primary" to="/tools/$name" params={{ name: 'calc_metrics' }}>
          {words.firstCall}
        </Link>
        <Link className="button" to="/tools">
          {words.browse}
        </Link>
        <Link className="button" to="/chat">
          {words.ask}
        </Link>
      </div>
    </EmptyState>
  );
}
