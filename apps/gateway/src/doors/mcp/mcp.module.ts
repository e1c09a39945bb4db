import { Module, type DynamicModule } from '@nestjs/common';
import { outsideServerId } from '#lib/contracts';
import { WatchedResources } from '#lib/transport';
import { Stores } from '../../stores.js';
import { Calls } from '../../calls/calls.js';
import { CallsModule } from '../../calls/calls.module.js';
import { Limits } from '../../calls/limits.js';
import { ToolDirectory } from '../../calls/tool-directory.js';
import { DecisionsModule } from '../../inputs/decisions.module.js';
import { AskedOfCaller } from '../../inputs/asked-of-caller.js';
import { FindingModule } from '../finding.module.js';
import { ToolFinder } from '../tool-finder.js';
import { RulesModule } from '../../rules/rules.module.js';
import { ToolsetDirectory } from '../../rules/toolset-directory.js';
import { Cancellations } from './cancellations.js';
import { ClientAnswers } from './client-answers.js';
import { McpDoor } from './door.js';
import { McpController } from './mcp.controller.js';
import { ProtectedResource, ProtectedResourceController } from '../../callers/protected-resource.js';
import type { McpExtension } from './server.js';
import { skillsIn } from './skills.js';
import { docsIn } from './docs.js';
import { OutsideOffers } from './outside-offers.js';
import { ResourceWatch } from './resource-watch.js';
import { Tasks } from './tasks.js';

@Module({})
export class McpModule {
  /** @param more parts of the protocol beside the product's own */
  static register(more: readonly McpExtension[]): DynamicModule {
    return {
      module: McpModule,
      imports: [CallsModule, DecisionsModule, FindingModule, RulesModule],
      controllers: [McpController, ProtectedResourceController],
      providers: [
        Tasks,
        ProtectedResource,
        Cancellations,
        // It begins with files that are read, and joins what it is told of outside servers.
        {
          provide: McpDoor,
          inject: [
            Stores,
            ToolDirectory,
            Calls,
            AskedOfCaller,
            ToolFinder,
            Tasks,
            Cancellations,
            ProtectedResource,
            ToolsetDirectory,
            Limits,
          ],
          useFactory: async (
            stores: Stores,
            tools: ToolDirectory,
            calls: Calls,
            asked: AskedOfCaller,
            finder: ToolFinder,
            tasks: Tasks,
            cancellations: Cancellations,
            ...[resource, sets, limits]: [ProtectedResource, ToolsetDirectory, Limits]
          ) => {
            const { settings, outside, servedDirectory, clock, log } = stores;
            const extensions = [...(await skillsIn(settings.SKILLS_DIR, log)), ...docsIn('dist/docs'), ...more];
            const answers = new ClientAnswers(stores);
            const offers = new OutsideOffers(calls, limits, clock);
            const watch = new ResourceWatch(stores, new WatchedResources(stores.redis, stores.keys));
            const { RESULT_CHARACTERS: resultCharacters } = settings;
            const door = new McpDoor({
              tools,
              calls,
              offers,
              watch,
              asked,
              finder,
              tasks,
              cancellations,
              answers,
              extensions,
              resource,
              log,
              resultCharacters,
            });
            // Whose tools a client sees, of those servers it reads resources and prompts.
            for (const changed of [outside, sets])
              changed.onChange((tenants) => {
                door.toolsChanged(tenants);
                door.offersChanged(tenants);
              });
            outside.onOffersChange((server) => {
              offers.forget(outsideServerId(server));
              door.offersChanged(server.tenantId === null ? null : new Set([server.tenantId]));
            });
            outside.onResourceUpdated((resource) => {
              door.resourceUpdated(resource).catch((error: unknown) => {
                log.warn({ event: 'resource-update-not-told', err: error }, 'a change of a resource could not be told');
              });
            });
            servedDirectory.onChange((tenants) => door.toolsChanged(tenants));
            return door;
          },
        },
      ],
      exports: [McpDoor, ProtectedResource],
    };
  }
}
