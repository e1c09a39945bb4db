import { handlersWith, type Handle } from '#lib/handlers';

/** Binds a function to its contract: `handle(contract, (input, context) => output)`. The types of both are those of the contract. */
export const handle: Handle<object> = handlersWith<object>();
