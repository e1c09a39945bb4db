// The entry of a process that reads documents (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => (await import('./reading.js')).reading);
