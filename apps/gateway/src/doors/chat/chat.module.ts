import { Module } from '@nestjs/common';
import { StreamsModule } from '../../http/streams.module.js';
import { CallsModule } from '../../calls/calls.module.js';
import { DecisionsModule } from '../../inputs/decisions.module.js';
import { ChatDoor } from './chat-door.js';
import { ChatQuota } from './chat-quota.js';
import { ChatStreams } from './chat-streams.js';
import { ChatController } from './chat.controller.js';
import { Conversations } from './conversations.js';

@Module({
  imports: [CallsModule, DecisionsModule, StreamsModule],
  controllers: [ChatController],
  providers: [ChatStreams, ChatQuota, Conversations, ChatDoor],
})
export class ChatModule {}
