import { Module } from '@nestjs/common';
import { RulesModule } from '../rules/rules.module.js';
import { ApiKeyDirectory } from './api-key-directory.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { ConsoleSessions } from './console-sessions.js';
import { KeyStore } from './key-store.js';
import { KeyUses } from './key-uses.js';
import { KeysController } from './keys.controller.js';
import { ConsoleOidcController } from './oidc/console-oidc.controller.js';
import { OptionalIssuer } from './oidc/optional-issuer.js';
import { OpenRequests } from './open-requests.js';
import { TicketsController } from './tickets.controller.js';
import { Tickets } from './tickets.js';
import { Tokens } from './tokens.js';
import { TurnTokens } from './turn-tokens.js';
import { UserStore } from './user-store.js';
import { Users } from './users.js';

@Module({
  imports: [RulesModule],
  controllers: [KeysController, TicketsController, ConsoleSessionController, ConsoleOidcController],
  providers: [
    KeyUses,
    KeyStore,
    ApiKeyDirectory,
    Tokens,
    UserStore,
    Users,
    ApiKeys,
    OptionalIssuer,
    ConsoleSessions,
    TurnTokens,
    Authenticator,
    Tickets,
    OpenRequests,
  ],
  exports: [Authenticator, Tickets, OpenRequests],
})
export class CallersModule {}
