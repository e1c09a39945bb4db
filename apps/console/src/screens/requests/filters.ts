import type { InputKind, InputState } from '#lib/client';

export const inputRequestStates = ['open', 'accepted', 'declined', 'cancelled', 'expired'] as const satisfies readonly InputState[];
export const kindsOf = ['approval', 'question', 'connection'] as const satisfies readonly InputKind[];
