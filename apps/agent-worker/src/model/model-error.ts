/** The model failed. The message is written for the user; the provider's own words are the cause, for the log. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}
