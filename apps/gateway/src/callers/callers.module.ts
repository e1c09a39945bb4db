import { type Tier } from '#lib/contracts';
import { Module } from '@nestjs/common';
import type { Logger } from '#lib/platform';
import { RulesModule } from '../rules/rules.module.js';
import { Stores } from '../stores.js';
import { ApiKeyDirectory, storedKey } from './api-key-directory.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { ConsoleSessions } from './console-sessions.js';
import { KeyUses } from './key-uses.js';
import { KeysController } from './keys.controller.js';
import { ConsoleOidcController } from './oidc/console-oidc.controller.js';
import { OptionalIssuer } from './oidc/optional-issuer.js';
import { OpenRequests } from './open-requests.js';
import { TicketsController } from './tickets.controller.js';
import { Tickets } from './tickets.js';
import { Tokens } from './tokens.js';
import { TurnTokens } from './turn-tokens.js';
import { Users } from './users.js';

@Module({
  imports: [RulesModule],
  controllers: [KeysController, TicketsController, ConsoleSessionController, ConsoleOidcController],
  providers: [
    KeyUses,
    // What these three look up or report is a function, so that nothing of theirs needs a store.
    {
      provide: ApiKeyDirectory,
      inject: [Stores, KeyUses],
      useFactory: ({ database }: Stores, uses: KeyUses) =>
        new ApiKeyDirectory(
          (id) => storedKey(database, id),
          (id, now) => uses.note(id, now),
        ),
    },
    { provide: Tokens, inject: [Stores], useFactory: ({ settings, log }: Stores) => new Tokens(settings, withheldScopes(log)) },
    {
      provide: Users,
      inject: [Stores],
      useFactory: ({ database }: Stores) =>
        new Users({
          find: async (tenantId, id) => {
            const [user] = await database.$queryRaw<{ readonly tier: Tier }[]>`
              SELECT tier FROM "user" WHERE tenant_id = ${tenantId} AND id = ${id}`;
            return user?.tier ?? null;
          },
        }),
    },
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

/** Says of each scope once that tokens claim it and do not get it. */
function withheldScopes(log: Logger): (scope: string) => void {
  const told = new Set<string>();
  return (scope) => {
    if (told.has(scope)) return;
    told.add(scope);
    log.warn({ event: 'token-scope-withheld', scope }, 'a token claims a scope that JWT_MAX_SCOPES does not let tokens have');
  };
}
