// What of a text is not on the page as it was written. Each kind becomes one warning that names the cases.

const kinds = {
  image: (names: string) => `Images are not loaded; their descriptions stand for them: ${names}`,
  link: (names: string) => `Links lead to http, https and mailto only; of these the words alone are shown: ${names}`,
  title: (names: string) => `Titles of links and images have no place on a page: ${names}`,
  definition: (names: string) => `Nothing refers to these definitions, so they are not shown: ${names}`,
  frontMatter: (names: string) => `The front matter is not shown: ${names}`,
  control: (names: string) => `Control characters cannot be drawn; \ufffd stands for each: ${names}`,
  character: (names: string) => `No font of the report has these characters, so they are not drawn: ${names}`,
} as const;

type Kind = keyof typeof kinds;

const maxNamed = 30;
const maxNameChars = 120;

export class Losses {
  readonly #named = new Map<Kind, string[]>();

  add(kind: Kind, name: string): void {
    const names = this.#named.get(kind) ?? [];
    names.push(name.length > maxNameChars ? `${name.slice(0, maxNameChars)}…` : name);
    this.#named.set(kind, names);
  }

  /** @param counts characters, with how often each was left out */
  addCharacters(kind: 'control' | 'character', counts: ReadonlyMap<string, number>): void {
    for (const [character, count] of counts) {
      const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      const shown = kind === 'control' ? code : `${character} (${code})`;
      this.add(kind, `${shown} ${count === 1 ? 'once' : `${count} times`}`);
    }
  }

  get warnings(): string[] {
    return [...this.#named].map(([kind, names]) => {
      const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
      return `${kinds[kind](names.slice(0, maxNamed).join(', '))}${more}.`;
    });
  }
}
