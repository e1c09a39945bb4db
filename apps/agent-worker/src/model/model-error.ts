/** The model did not do its part. The message is ours and for the user; what the provider said is the cause, for our logs. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}
