// The words of the console. Each screen has its own dictionary beside it, so that it is loaded with the screen.
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];
export type Dictionary<Words> = Readonly<Record<Language, Words>>;

/** English says which words there are; Chinese must have the same, of the same types. */
export function dictionary<Words>(words: { readonly en: Words; readonly 'zh-CN': NoInfer<Words> }): Dictionary<Words> {
  return words;
}
