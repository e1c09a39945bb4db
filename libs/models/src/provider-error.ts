/** A model could not be used: its settings, its address or its answer is wrong. The message says which and holds no secret. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}
