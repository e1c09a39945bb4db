export { newNamespace, redisUrl, testRedis } from './redis.js';
