import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { ApiKeyDirectory } from './api-key-directory.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { KeysController } from './keys.controller.js';
import { OpenRequests } from './open-requests.js';
import { TicketsController } from './tickets.controller.js';
import { Tickets } from './tickets.js';
import { Tokens } from './tokens.js';
import { TurnTokens } from './turn-tokens.js';
import { Users } from './users.js';

@Module({
  controllers: [KeysController, TicketsController],
  providers: [
    {
      provide: ApiKeyDirectory,
      inject: [Infrastructure],
      useFactory: ({ database }: Infrastructure) => new ApiKeyDirectory((id) => database.apiKey.findUnique({ where: { id } })),
    },
    {
      provide: ApiKeys,
      inject: [Infrastructure, ApiKeyDirectory],
      useFactory: ({ database }: Infrastructure, directory: ApiKeyDirectory) => new ApiKeys(database, directory),
    },
    {
      provide: Authenticator,
      inject: [Infrastructure, ApiKeyDirectory],
      useFactory: ({ settings, database, sealer, store }: Infrastructure, keys: ApiKeyDirectory) =>
        new Authenticator({
          keys,
          tokens: new Tokens(settings),
          users: new Users({
            find: async (tenantId, id) => (await database.user.findUnique({ where: { tenantId_id: { tenantId, id } } }))?.tier ?? null,
          }),
          turns: new TurnTokens(sealer, store),
          failuresPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
        }),
    },
    {
      provide: Tickets,
      inject: [Infrastructure, Authenticator],
      useFactory: ({ redis, keys }: Infrastructure, credentials: Authenticator) => new Tickets(redis, keys, credentials),
    },
    {
      provide: OpenRequests,
      inject: [Infrastructure],
      useFactory: ({ settings }: Infrastructure) => new OpenRequests(settings.OPEN_REQUESTS_PER_CREDENTIAL),
    },
  ],
  exports: [Authenticator, Tickets, OpenRequests],
})
export class CallersModule {}
