import { useSession, mayUse } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { screenGroups, type ScreenLink } from './screens.js';
import { shellText } from './text.js';

type Group = (typeof screenGroups)[number][0];

/** The screens that the present caller may open, by group, with their names. */
export function useLinks(): readonly { readonly group: Group; readonly links: readonly (ScreenLink & { readonly title: string })[] }[] {
  const words = useText(shellText);
  const { data: session } = useSession();
  const isAdmin = !!session && mayUse(session, 'admin');
  const shown = ({ isFor }: ScreenLink) => isFor === undefined || (!!session && mayUse(session, isFor));
  return screenGroups
    .map(([group, all]: readonly [Group, readonly ScreenLink[]]) => ({
      group,
      links: all
        .filter(shown)
        .map((link) => ({ ...link, title: words.screens[link.name === 'health' && !isAdmin ? 'workers' : link.name] })),
    }))
    .filter(({ links }) => links.length > 0);
}
