import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { hasScope, isApiKey, Refusal } from '#lib/contracts';
import { isPublic, routeOf } from './route.js';
import { callerOf } from './caller-of.js';

/** Lets a caller use a route if its credential has the scope that the route states. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    requireScope(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}

/** Throws PERMISSION_DENIED that names the scope. */
export function requireScope(request: FastifyRequest): void {
  const access = routeOf(request)?.access ?? 'caller';
  if (access === 'caller' || isPublic(access)) return;
  const caller = callerOf(request);
  if (hasScope(caller, access)) return;
  const bound = isApiKey(caller.credentialId) ? '' : '; a token has it where its issuer gives it and JWT_MAX_SCOPES names it';
  throw new Refusal('PERMISSION_DENIED', `This needs a credential with the scope ${access}${bound}`, { extra: { required_scope: access } });
}
