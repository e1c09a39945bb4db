// One route on bare Fastify that gives back the JSON it gets.
import { fastify } from 'fastify';
import { serveParent } from './system/parent.js';

const app = fastify();
app.post('/echo', async (request) => request.body);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
serveParent({ url: `${url}/echo` });
