// The weather stand-in as a process of its own. Argument: port.
import { WeatherServer } from './weather-server.js';

const server = await WeatherServer.start(Number(process.argv[2] ?? 0));
process.stdout.write(`${new Date().toISOString()} ready on ${server.url}\n`);
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => process.exit(0));
