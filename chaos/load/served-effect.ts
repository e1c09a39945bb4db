/** What differs from `lab_effect` where a user's worker serves it. A gateway that dies has its calls begun again after some seconds. */
export const servedEffectFacts = { name: 'served_effect', domain: 'own-chaos', timeoutMs: 20_000 } as const;
/** The same as two steps with a rest between them. */
export const servedStepsFacts = { ...servedEffectFacts, name: 'served_steps' } as const;
/** The same where a person approves it first. */
export const servedApprovedFacts = { ...servedEffectFacts, name: 'served_approved', approval: { expires_ms: 600_000 } } as const;
