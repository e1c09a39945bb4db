/** Policies, budgets, flows, pauses, sets, webhooks, and accounts at providers. */
export const rules: Readonly<Record<string, string>> = {
  "There is no {} '{}'; see GET {}": '没有名为“{2}”的{~1}；参见 GET {3}',
  "There is no {} '{}' of yours; see GET /{}s": '没有名为“{2}”的{~1}；参见 GET /{3}s',
  flow: '流控',
  pause: '暂停',
  "The policy '{}' of your tenant does not allow this call": '您租户的策略“{}”不允许此调用',
  'The policies of your tenant could not be worked out: this {}': '无法计算您租户的策略：它{~}',
  "The policy '{}' of your tenant could not be worked out for this call, so it is denied: {}":
    '无法为此调用计算您租户的策略“{1}”，因此拒绝：{~2}',
  'The {} of tenants have not been read yet': '租户的{~}尚未读取',
  'What your tenant has spent cannot be read at the moment, and its policies look at it': '暂时无法读取您租户的花费，而其策略需要它',
  'Your tenant has {} policies, the most that it may have; delete one first': '您的租户有 {} 个策略，已达上限；请先删除一个',
  'Your tenant has {} sets, the most that it may have; delete one first': '您的租户有 {} 个工具集，已达上限；请先删除一个',
  'Your tenant has {} budgets, the most that it may have; delete one first': '您的租户有 {} 个预算，已达上限；请先删除一个',
  'Your tenant has {} webhooks, the most that it may have; delete one first': '您的租户有 {} 个 webhook，已达上限；请先删除一个',
  'Your tenant has {} providers, the most that it may have; delete one first': '您的租户有 {} 个提供方，已达上限；请先删除一个',
  'There are {} flows of yours, the most that there may be; delete one first': '您有 {} 个流控，已达上限；请先删除一个',
  'There are {} pauses of yours, the most that there may be; delete one first': '您有 {} 个暂停，已达上限；请先删除一个',
  'Keys see this set alone, such as {}: revoke them first': '有密钥只能看到此工具集，例如 {}：请先吊销它们',
  "The key of the flow '{}' could not be worked out for this call: it {}": '无法为此调用计算流控“{1}”的键：它{~2}',
  "Calls of this tool are paused by '{}': {}. It is not known for how long: tell the user so.":
    '此工具的调用已被“{}”暂停：{}。暂停多久尚不可知：请告知用户。',
  'The lines of flows cannot be reached at the moment': '暂时无法访问流控的队列',
  'Flows cannot be reached at the moment': '暂时无法访问流控',
  'Pauses cannot be reached at the moment': '暂时无法访问暂停',

  "The budget '{}' of your tenant is used up for this {}: {} of {} are spent or held for calls that run, and this call costs {}":
    '您租户的预算“{1}”本{~2}已用完：{4} 中已花费或为运行中的调用预留 {3}，而此调用需要 {5}',
  "The budget '{}' of your tenant is used up for this {}: {} of {} are spent or held for calls that run, and this call costs what its tool reports":
    '您租户的预算“{1}”本{~2}已用完：{4} 中已花费或为运行中的调用预留 {3}，而此调用的费用由其工具报告',
  "The budget '{}' of your tenant is used up for this {}: {} of {} calls are made":
    '您租户的预算“{1}”本{~2}已用完：{4} 次调用中已用 {3} 次',
  'It begins anew at {}': '它将于 {} 重新开始',
  'until then the chat answers no message': '在此之前对话不再回答消息',
  'An administrator of your tenant can raise it': '您租户的管理员可以提高它',
  'The same call is refused until {}: tell the user so, and do not try it again before':
    '同样的调用在 {} 之前都会被拒绝：请告知用户，此前不要再试',
  "The budget '{}' of your tenant has reached {} % of {} for this {}": '您租户的预算“{1}”本{~4}已达 {3} 的 {2} %',
  'it begins anew at {}': '它将于 {} 重新开始',
  'The budgets of your tenant cannot be counted at the moment': '暂时无法计算您租户的预算',
  'What was spent of a budget cannot be read at the moment': '暂时无法读取预算的花费',

  'There is no such webhook; see GET /webhooks': '没有这个 webhook；参见 GET /webhooks',
  'There is no such delivery; see GET /webhooks/{id}/deliveries': '没有这条投递记录；参见 GET /webhooks/{id}/deliveries',
  'The webhook is disabled; enable it first: PATCH {"enabled":true}': 'webhook 已停用；请先启用：PATCH {"enabled":true}',
  'The webhooks cannot be reached at the moment': '暂时无法访问 webhook',

  "There is no provider '{}'; see GET /providers": '没有名为“{}”的提供方；参见 GET /providers',
  "Your tenant has no provider '{}'; an administrator sets it up with PUT /providers/{}":
    '您的租户没有提供方“{}”；管理员可用 PUT /providers/{} 设置',
  'The provider cannot be set up: {}': '无法设置该提供方：{~}',
  'Providers cannot be reached at the moment': '暂时无法访问提供方',
  'There is no such connection; see GET /connections': '没有这个账户连接；参见 GET /connections',
  'Connections of the scope tenant need a credential with the scope tenant:admin':
    '范围 tenant 的账户连接需要具有权限范围 tenant:admin 的凭证',
  'The connections cannot be reached at the moment': '暂时无法访问账户连接',
  'You have begun to connect too many accounts; finish one, or wait ten minutes': '您开始连接的账户过多；请先完成一个，或等待十分钟',
  'There is no such address': '没有这个地址',
  'There is no such address, or its provider was deleted': '没有这个地址，或其提供方已删除',
  'This address was used meanwhile; begin anew': '此地址已被使用；请重新开始',
  'This address was used, or its ten minutes are over. Begin anew.': '此地址已被使用，或已超过十分钟。请重新开始。',
  'Nobody has begun this in this browser, or it is over. Begin anew, and finish in the same browser.':
    '此浏览器没有开始过此操作，或它已结束。请重新开始，并在同一浏览器中完成。',
  'Nothing waits for this account any more.': '已没有内容在等待此账户。',
  'Its provider was changed; begin anew': '其提供方已更改；请重新开始',
  'You did not let Invoq use your {} account': '您没有允许 Invoq 使用您的 {} 账户',
  '{} could not be connected: {}': '无法连接 {1}：{~2}',
  'Your {} account is connected': '您的 {} 账户已连接',
  'This gateway has no public address': '此网关没有公共地址',
  'This provider takes no keys; open the address in a browser': '此提供方不接受密钥；请在浏览器中打开该地址',
  'Connect your {} account': '请连接您的 {} 账户',
  'Connect your {} account again: {}': '请重新连接您的 {} 账户：{~}',
  'Connect your {} account again, with the rights {}': '请重新连接您的 {} 账户，并授予权限 {}',
  "The rights {} of your {} account are wanted, and nobody may ask for them within a call: an administrator allows it with 'more_scopes' of the provider":
    '需要您 {2} 账户的权限 {1}，而调用中不能要求它们：管理员可用提供方的“more_scopes”允许',
  '{}. It has asked for more {} times in this call': '{~}。它在此次调用中已要求更多权限 {} 次',
  '{}. Its user was asked, and they were not granted': '{~}。已询问其用户，但未获授予',
  '{}: its user has said no': '{~}：其用户已拒绝',
};
