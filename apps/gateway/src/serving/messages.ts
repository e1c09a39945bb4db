/** A worker sends nothing for at most this long, in ms. */
export const heartbeatMs = 5_000;
/** After this silence a worker is taken for lost, in ms. */
export const silenceMs = 15_000;

/** What the gateway says: the name of the event, and its data. */
export type GatewayEvent = 'welcome' | 'attempt' | 'stop' | 'settled' | 'kept' | 'token' | 'file' | 'tools' | 'drain' | 'ping';
