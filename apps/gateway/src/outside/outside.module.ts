import { Module } from '@nestjs/common';
import { ToolsModule } from '../doors/tools.module.js';
import { Stores } from '../stores.js';
import { McpServersController } from './servers.controller.js';
import { McpServers } from './servers.js';

@Module({
  imports: [ToolsModule],
  controllers: [McpServersController],
  providers: [
    {
      provide: McpServers,
      inject: [Stores],
      useFactory: ({ database, redis, keys, outside, sealer }: Stores) => new McpServers({ database, redis, keys, outside, sealer }),
    },
  ],
})
export class OutsideModule {}
