// What a program is asked: where the product and the model are, and the questions.
export const { url, key, model, questions } = JSON.parse(process.env.WORLD_TASK);
export const headers = { Authorization: `Bearer ${key}` };
/** As docs/how-to/mcp-clients.md advises. */
export const mcpUrl = `${url}/mcp?result=data&tools=calc_metrics,user_profile_lookup,generate_report,files__*`;
