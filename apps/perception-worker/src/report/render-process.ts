// The entry of a process that renders reports. It may read only our code and the fonts (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => (await import('./rendering.js')).rendering);
