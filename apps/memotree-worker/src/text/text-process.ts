// The entry of a process that works on texts (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => (await import('./text-work.js')).textWork);
