import SwaggerParser from '@apidevtools/swagger-parser';

const { file } = JSON.parse(process.env.WORLD_TASK);
const { paths } = await SwaggerParser.validate(file);
console.log(`${Object.keys(paths).length} paths`);
