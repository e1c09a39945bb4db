// The entry of a sandboxed process for tests.
import { serve } from './serve.js';

await serve(async () => (await import('./test-functions.js')).functions);
