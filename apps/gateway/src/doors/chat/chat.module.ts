import { Module } from '@nestjs/common';
import { QuotaTracker } from '#lib/transport';
import { StreamsModule } from '../../http/streams.module.js';
import { Stores } from '../../stores.js';
import { CallsModule } from '../../calls/calls.module.js';
import { DecisionsModule } from '../../decisions/decisions.module.js';
import { ChatDoor } from './chat-door.js';
import { ChatQuota } from './chat-quota.js';
import { ChatStreams } from './chat-streams.js';
import { ChatController } from './chat.controller.js';
import { Conversations } from './conversations.js';

@Module({
  imports: [CallsModule, DecisionsModule, StreamsModule],
  controllers: [ChatController],
  providers: [
    ChatStreams,
    {
      provide: ChatQuota,
      inject: [Stores],
      useFactory: ({ redis, keys, settings }: Stores) =>
        new ChatQuota(new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }), settings.GUEST_CHATS_PER_DAY),
    },
    {
      provide: Conversations,
      inject: [Stores],
      useFactory: ({ database, settings }: Stores) => new Conversations({ database, sealingKeys: settings.SEALING_KEYS }),
    },
    ChatDoor,
  ],
})
export class ChatModule {}
