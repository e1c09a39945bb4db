// The client that the suite starts: it tells the test where the suite's server is, and ends when the product is through with it.
const [, , test, url] = process.argv;
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context } = process.env;
const response = await fetch(test, {
  method: 'POST',
  body: JSON.stringify({ url, scenario, context: context ? JSON.parse(context) : {} }),
});
process.stdout.write(await response.text());
process.exitCode = response.ok ? 0 : 1;
