import { Refusal } from './errors.js';

/** Refuses a parameter in the words of a contract's faults: the detail is the whole sentence. @param rest such as `must be in the future` */
export function invalidParameter(path: string, rest: string): Refusal {
  const message = `Parameter '${path}' ${rest}`;
  return new Refusal('INVALID_PARAMS', message, { details: [{ path, message }] });
}

/** Refuses a field of a body: the detail names it by its path, and says the rest. */
export function invalidField(path: string, rest: string): Refusal {
  return new Refusal('INVALID_PARAMS', `Parameter '${path}' ${rest}`, { details: [{ path, message: rest }] });
}
