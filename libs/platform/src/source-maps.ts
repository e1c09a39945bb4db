// Preloaded (`node --import '#source-maps'`): stack traces name our own sources. Node's own flag reads the maps of every package
// too, a twelfth of what an app's imports cost.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
