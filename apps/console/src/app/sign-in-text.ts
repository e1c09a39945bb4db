import type { ConsoleIssuerShown, SignInFault } from '#lib/contracts';
import { dictionary } from '../language/dictionary.js';

type Issuer = ConsoleIssuerShown['issuer'];
type Faults = Readonly<Record<SignInFault, string>>;

/** The words of a fault; those of any fault for a name that is not known, as an address may bring everything. */
function wordsOf(faults: Faults, name: string): string {
  return Object.entries(faults).find(([known]) => known === name)?.[1] ?? faults.issuer;
}

export const signInText = dictionary({
  en: {
    signIn: 'Sign in',
    signInHelp: 'Paste an API key. npm start prints one, and an address that signs in by itself.',
    key: 'API key',
    ended: 'You are signed out: the session ended, or its key was revoked.',
    ticketFailed: 'The sign-in address works once and for 60 seconds. Open a new one, or paste a key.',
    wrongKey: 'No such key, or it was revoked or has expired.',
    signInAt: (host: string) => `Sign in at ${host}`,
    orByKey: 'Or by an API key:',
    issuerFaults: (name: string, issuer: Issuer) =>
      wordsOf(
        {
          denied: 'You, or the issuer, said no. Sign in again, or ask whoever runs it to let you in.',
          expired: 'This sign-in was used, was begun in another browser, or took longer than ten minutes. Sign in again.',
          clock: 'The clocks of the gateway and the issuer differ. An operator has to set them.',
          no_tenant: `The issuer does not say which tenant you belong to. Its ID token needs one of the claims ${issuer?.tenant_claims.join(', ') ?? ''}, or CONSOLE_OIDC_TENANT_CLAIMS has to name the claim that has it.`,
          no_user: `The claim ${issuer?.user_claim ?? 'sub'} of the ID token names no user. CONSOLE_OIDC_USER_CLAIM says which claim does.`,
          issuer:
            'The answer of the issuer is not for this console, or is not complete. The log of the gateway says why: console-sign-in-failed.',
          unreachable: 'The issuer, or a store of the gateway, gives no answer. Try again in a moment.',
          off: 'This gateway has no issuer to sign in at: CONSOLE_OIDC_CLIENT_ID is not set.',
        },
        name,
      ),
  },
  'zh-CN': {
    signIn: '登录',
    signInHelp: '粘贴一个 API 密钥。npm start 会打印密钥，以及一个可自动登录的地址。',
    key: 'API 密钥',
    ended: '你已退出：会话已结束，或密钥已被吊销。',
    ticketFailed: '登录地址只能使用一次，60 秒内有效。请打开新的地址，或粘贴密钥。',
    wrongKey: '没有这个密钥，或已被吊销、已过期。',
    signInAt: (host) => `通过 ${host} 登录`,
    orByKey: '或使用 API 密钥：',
    issuerFaults: (name, issuer) =>
      wordsOf(
        {
          denied: '你或身份提供方拒绝了登录。请重试，或请其管理员为你开通。',
          expired: '这次登录已被使用、在另一个浏览器中开始，或超过了十分钟。请重新登录。',
          clock: '网关与身份提供方的时钟不一致，需要运维人员校准。',
          no_tenant: `身份提供方没有说明你属于哪个租户。ID 令牌需要包含 ${issuer?.tenant_claims.join('、') ?? ''} 之一，或在 CONSOLE_OIDC_TENANT_CLAIMS 中写明所用的声明。`,
          no_user: `ID 令牌的声明 ${issuer?.user_claim ?? 'sub'} 没有给出用户。请在 CONSOLE_OIDC_USER_CLAIM 中写明所用的声明。`,
          issuer: '身份提供方的回答不属于本控制台，或不完整。原因见网关日志：console-sign-in-failed。',
          unreachable: '身份提供方或网关的存储没有响应，请稍后重试。',
          off: '此网关没有可用于登录的身份提供方：未设置 CONSOLE_OIDC_CLIENT_ID。',
        },
        name,
      ),
  },
});
