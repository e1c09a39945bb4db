import { Module } from '@nestjs/common';
import { QuotaTracker } from '#lib/transport';
import { StreamsModule } from '../http/streams.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { Calls } from '../invocations/calls.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { ChatDoor } from './chat-door.js';
import { ChatQuota } from './chat-quota.js';
import { ChatStreams } from './chat-streams.js';
import { ChatController } from './chat.controller.js';
import { Conversations } from './conversations.js';

@Module({
  imports: [InvocationsModule, StreamsModule],
  controllers: [ChatController],
  providers: [
    ChatStreams,
    {
      provide: ChatQuota,
      inject: [Infrastructure],
      useFactory: ({ redis, keys, settings }: Infrastructure) =>
        new ChatQuota(new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }), settings.GUEST_CHATS_PER_DAY),
    },
    {
      provide: Conversations,
      inject: [Infrastructure],
      useFactory: ({ database, settings }: Infrastructure) => new Conversations({ database, sealingKeys: settings.SEALING_KEYS }),
    },
    {
      provide: ChatDoor,
      inject: [Calls, ChatQuota, Conversations, ChatStreams],
      useFactory: (calls: Calls, quota: ChatQuota, conversations: Conversations, streams: ChatStreams) =>
        new ChatDoor({ calls, quota, conversations, streams }),
    },
  ],
})
export class ChatModule {}
