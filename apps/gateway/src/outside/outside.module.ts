import { Module } from '@nestjs/common';
import { ToolsModule } from '../doors/tools.module.js';
import { McpServersController } from './servers.controller.js';
import { McpServers } from './servers.js';

@Module({
  imports: [ToolsModule],
  controllers: [McpServersController],
  providers: [McpServers],
})
export class OutsideModule {}
