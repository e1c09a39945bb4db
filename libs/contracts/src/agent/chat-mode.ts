/** The maximum number of model calls in one turn (VL-36). */
export const iterationsOf = { simple: 5, complex: 10, guest: 3 } as const;
export type ChatMode = keyof typeof iterationsOf;

/** The tools of a guest's turn, besides one skill (C-63). */
export const guestTools: readonly string[] = ['use_skill', 'search_knowledge', 'show_insight'];

/** The chunk formats of a chat stream (C-53): those of the source document, or exactly those of the AI SDK. */
export const chatDialects = ['source', 'ai-sdk'] as const;
export type ChatDialect = (typeof chatDialects)[number];
