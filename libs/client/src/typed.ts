/** What each tool takes and gives, by its name. `invoq types` writes such an interface from a gateway. */
export type ToolTypes<Tools> = { readonly [Name in keyof Tools]: { readonly input: object; readonly output: unknown } };

/** A tool that the types know, or any other, which is called untyped. */
export type ToolName<Tools> = (keyof Tools & string) | (string & {});

/** What a tool takes; fields with a default may be left out. */
export type InputOf<Tools, Name> = Name extends keyof Tools
  ? Tools[Name] extends { readonly input: infer Input }
    ? Input
    : never
  : Readonly<Record<string, unknown>>;
export type OutputOf<Tools, Name> = Name extends keyof Tools
  ? Tools[Name] extends { readonly output: infer Output }
    ? Output
    : never
  : unknown;
